/** Runs every example of every help text with a platform of three nodes and the files of `examples/ecsm-cli`. */

import { type Command, type Example, nodeFiles } from '@ecsm/command-line';
import { expect, test } from 'vitest';
import { argumentsOf, type Kit, simulated } from './platform.kit.ts';
import { ecsmCli } from './program.ts';

const examplesOf = (commands: readonly Command[]): readonly Example[] =>
  commands.flatMap(({ examples, commands: below = [] }) => [...examples, ...examplesOf(below)]);

const lines = [...new Set([...ecsmCli.examples, ...examplesOf(ecsmCli.commands)].map(({ line }) => line))];

const files = nodeFiles({ here: new URL('../../../../', import.meta.url).pathname, home: '/nowhere' });

/** Interprets a line as a shell, as far as the examples need it. */
async function run(kit: Kit, line: string): ReturnType<Kit['run']> {
  const [, inner] = /"\$\((ecsm-cli [^)]+)\)"/.exec(line) ?? [];
  if (inner !== undefined) {
    const { out } = await run(kit, inner);
    return run(kit, line.replace(`"$(${inner})"`, out));
  }
  const [, cat] = /^cat (\S+) \| /.exec(line) ?? [];
  const input = cat === undefined ? {} : { input: (await files.read(cat)) ?? '' };
  const words = argumentsOf(line.replace(/^cat \S+ \| /, ''));
  const start = words.indexOf('ecsm-cli');
  const env = Object.fromEntries(words.slice(0, start).map((word) => word.split('=', 2)));
  const { ECSMCLI_HOST: _, ...others } = env;
  return kit.run(words.slice(start + 1), { ...input, env: others, nodeFiles: files });
}

/** Commands to run before the example, besides the creation of `telemetry`. */
function preparations(line: string): readonly string[] {
  const word = /^ecsm-cli (\w+)/.exec(line)?.[1];
  if (word === 'unpause') return [line.replace('unpause', 'pause')];
  if (word === 'start') return [line.replace('start', 'stop')];
  return line.includes('node remove') ? ['ecsm-cli delete telemetry --yes --wait'] : [];
}

test.each(lines)('%s', async (line) => {
  const kit = await simulated({ isQuick: true });
  await run(kit, 'ecsm-cli create service -f examples/ecsm-cli/telemetry.yaml --wait');
  for (const before of preparations(line)) expect(await run(kit, before)).toMatchObject({ code: 0 });
  const { code, out, err } = await run(kit, line);
  expect({ code, error: /^ecsm-cli:.*/m.exec(err)?.[0] }).toEqual({ code: 0, error: undefined });
  expect(out + err).not.toBe('');
});

test('every command has an example', () => {
  const without = (commands: readonly Command[]): readonly string[] =>
    commands.flatMap(({ name, examples, commands: below = [] }) => [
      ...(examples.length === 0 ? [name] : []),
      ...without(below),
    ]);
  expect(without(ecsmCli.commands)).toEqual([]);
});
