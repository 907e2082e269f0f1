/** The sample program as a real process: commands that use the real world. Bundled by `process.kit.ts`. */
import type { Command, Run } from './command.ts';
import { Live } from './live.ts';
import { withProgress } from './progress.ts';
import { main } from './real-world.ts';
import { sampleProgram } from './sample.kit.ts';
import { Failure } from './wrong.ts';

const doing = (name: string, run: Run, more: Partial<Command> = {}): Command => ({
  name,
  says: name,
  examples: [],
  load: async () => ({ run }),
  ...more,
});

await main(
  sampleProgram(
    doing(
      'lines',
      async ({ world, words: [count] }) => {
        for (let index = 0; index < Number(count) && !world.out.isClosed; index++) {
          world.out.write(`line ${index}\n`);
          if (index % 1000 === 0) await world.out.drained();
        }
      },
      { words: 'COUNT' },
    ),
    doing('burst', async ({ world, words: [bytes] }) => world.out.write('x'.repeat(Number(bytes))), { words: 'BYTES' }),
    doing('cat', async ({ world }) => {
      world.err.write('reading\n');
      world.out.write(`${(await world.readInput()).length} bytes\n`);
    }),
    doing('ask', async ({ world }) => {
      const first = await world.ask('Delete it? [y/N]');
      const second = first === undefined ? undefined : await world.ask('Really?');
      world.out.write(`answers: ${JSON.stringify([first, second])}\n`);
    }),
    doing(
      'edit',
      async ({ world, words: [then] }) => {
        const text = await world.edit('replicas: 1\n', '.yaml');
        world.out.write(`saved: ${JSON.stringify(text)}\n`);
        if (then === 'refuse') throw new Failure('replicas must not be 2');
      },
      { words: '[THEN]' },
    ),
    doing('live', async ({ world }) => {
      const live = new Live(world.out, world.signal);
      live.show(`first ${world.out.columns}x${world.out.rows}\nsecond`);
      live.show('ready\nwaiting for Ctrl-C');
      await new Promise<void>((resolve) => {
        const cancel = world.clock.after(50_000, resolve);
        world.signal.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      });
    }),
    doing('wait', ({ world }) =>
      withProgress(world, { what: 'the moon', timeoutMs: 1_500 }, async ({ says }) => {
        says('0/1 ready');
        await new Promise<never>(() => {});
      }),
    ),
    doing('deaf', async ({ world }) => {
      world.out.write('deaf\n');
      // Does not mind the signal: only a second Ctrl-C ends it.
      await new Promise((resolve) => world.clock.after(50_000, () => resolve(undefined)));
    }),
    doing('colour', async ({ world }) => world.out.write(`${world.out.isColoured} ${world.out.isTerminal}\n`)),
    doing('stray', async ({ world }) => {
      world.clock.after(1, () => {
        throw new Error('nobody catches this');
      });
      await new Promise((resolve) => world.clock.after(50_000, () => resolve(undefined)));
    }),
  ),
);
