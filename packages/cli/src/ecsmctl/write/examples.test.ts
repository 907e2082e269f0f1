/** Every example in the help of these commands works as it stands, on the files of the quickstart. */
import { fileURLToPath } from 'node:url';
import { type Command, nodeFiles } from '@ecsm/command-line';
import { systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCommands } from './commands.ts';
import { inRealTime, writeKit } from './write.kit.ts';

const kit = writeKit();
const root = fileURLToPath(new URL('../../../../..', import.meta.url));
const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(1), nodes: 3 });
let url = '';

const files = nodeFiles({ here: root, home: root });

beforeAll(async () => {
  ({ url } = await simulator.listen());
});
afterAll(() => simulator.close());

/** These say by their exit code that something would change. */
const differing = [
  'ecsmctl diff --live -f examples/quickstart/telemetry.yaml',
  'ecsmctl diff --live service/telemetry',
];

const commandsIn = (commands: readonly Command[]): readonly Command[] =>
  commands.flatMap((command) => [command, ...commandsIn(command.commands ?? [])]);

describe.each(commandsIn(writeCommands).map((command) => [command.name, command] as const))('%s', (name, command) => {
  beforeAll(async () => {
    await kit.run('apply -f examples/quickstart', { nodeFiles: files });
    if (name === 'create') await kit.run('delete services --all', { nodeFiles: files });
  });

  it.each(command.examples.map(({ help, line }) => [help, line]))('%s: %s', async (_says, line) => {
    const told = await kit.run(line.replace(/^ecsmctl /, ''), {
      ...inRealTime,
      nodeFiles: files,
      env: { ECSM_URL: url },
      editor: (text) => text.replace('replicas: 3', 'replicas: 2'),
    });
    expect([told.code, told.err]).toEqual([
      differing.includes(line) ? 1 : 0,
      expect.not.stringMatching(/bug|Try:|warning/),
    ]);
  });
});
