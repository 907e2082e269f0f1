/** The sample program as a real process: commands that use the real terminal. Bundled by `process.kit.ts`. */
import type { Command, Run } from '../command/command.ts';
import { Failure } from '../command/errors.ts';
import { sampleProgram } from '../command/sample.kit.ts';
import { Live } from './live.ts';
import { main } from './process.ts';
import { withProgress } from './progress.ts';

const doing = (name: string, run: Run, more: Partial<Command> = {}): Command => ({
  name,
  help: name,
  examples: [],
  load: async () => ({ run }),
  ...more,
});

await main(
  sampleProgram(
    doing(
      'lines',
      async ({ terminal, words: [count] }) => {
        for (let index = 0; index < Number(count) && !terminal.out.isClosed; index++) {
          terminal.out.write(`line ${index}\n`);
          if (index % 1000 === 0) await terminal.out.drained();
        }
      },
      { words: 'COUNT' },
    ),
    doing('burst', async ({ terminal, words: [bytes] }) => terminal.out.write('x'.repeat(Number(bytes))), {
      words: 'BYTES',
    }),
    doing('cat', async ({ terminal }) => {
      terminal.err.write('reading\n');
      terminal.out.write(`${(await terminal.readInput()).length} bytes\n`);
    }),
    doing('ask', async ({ terminal }) => {
      const first = await terminal.ask('Delete it? [y/N]');
      const second = first === undefined ? undefined : await terminal.ask('Really?');
      terminal.out.write(`answers: ${JSON.stringify([first, second])}\n`);
    }),
    doing(
      'edit',
      async ({ terminal, words: [then] }) => {
        const text = await terminal.edit('replicas: 1\n', '.yaml');
        terminal.out.write(`saved: ${JSON.stringify(text)}\n`);
        if (then === 'refuse') throw new Failure('replicas must not be 2');
      },
      { words: '[THEN]' },
    ),
    doing('live', async ({ terminal }) => {
      const live = new Live(terminal.out, terminal.signal);
      live.show(`first ${terminal.out.columns}x${terminal.out.rows}\nsecond`);
      live.show('ready\nwaiting for Ctrl-C');
      await new Promise<void>((resolve) => {
        const cancel = terminal.clock.after(50_000, resolve);
        terminal.signal.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      });
    }),
    doing('wait', ({ terminal }) =>
      withProgress(terminal, { what: 'the moon', timeoutMs: 1_500 }, async ({ update }) => {
        update('0/1 ready');
        await new Promise<never>(() => {});
      }),
    ),
    doing('deaf', async ({ terminal }) => {
      terminal.out.write('deaf\n');
      // Ignores the signal: only a second Ctrl-C ends it.
      await new Promise((resolve) => terminal.clock.after(50_000, () => resolve(undefined)));
    }),
    doing('colour', async ({ terminal }) =>
      terminal.out.write(`${terminal.out.isColoured} ${terminal.out.isTerminal}\n`),
    ),
    doing('stray', async ({ terminal }) => {
      terminal.clock.after(1, () => {
        throw new Error('this is not caught');
      });
      await new Promise((resolve) => terminal.clock.after(50_000, () => resolve(undefined)));
    }),
  ),
);
