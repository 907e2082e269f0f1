import { beforeAll, describe, expect, it } from 'vitest';
import { writeKubeconfig } from '../shared/kubeconfig.kit.ts';
import { fillRegistry, registryKit } from '../shared/registry.kit.ts';
import { otherCommands, readCommands } from './commands.ts';

const kit = registryKit();
beforeAll(() => {
  writeKubeconfig(kit.directory);
  return fillRegistry(kit);
});

const commands = [...readCommands, ...otherCommands].flatMap((command) => [command, ...(command.commands ?? [])]);

describe('an example in the help', () => {
  it.each(commands.flatMap(({ examples }) => examples))('works: $line', async ({ line }) => {
    const { code, out, err } = await kit.run(line.replace(/^ecsmctl /, ''));
    // The registry of the test is a local one.
    const isSwitch = line.includes('use-context');
    expect({ code, err }).toEqual({ code: 0, err: isSwitch ? expect.stringContaining('does not use it') : '' });
    expect(out).not.toBe('');
  });

  it('is there for every command', () => {
    expect(commands.filter(({ examples, hidden }) => examples.length === 0 && !hidden).map(({ name }) => name)).toEqual(
      [],
    );
  });
});
