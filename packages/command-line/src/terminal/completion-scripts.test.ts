/** The scripts in the shells that they are for. Bash is everywhere; zsh and fish are tested where they are installed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { completionScript, shells } from '../command/completion-scripts.ts';
import { hasTerminal, sampleProcess, when } from './process.kit.ts';

const sample = sampleProcess();
beforeAll(() => {
  mkdirSync(join(sample.directory, 'manifests'));
  writeFileSync(join(sample.directory, 'manifests', 'fleet.yaml'), '');
});

/** What bash would offer for a line with the cursor at its end. Words are cut as readline cuts them. */
async function offered(line: string): Promise<string[]> {
  const words: string[] = line.match(/[=:]+|[^\s=:]+/g) ?? [];
  if (/\s$/.test(line)) words.push('');
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const { out, err } = await sample.shell(`
    source <(sample completion bash) || exit 9
    COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_WORDS=(${words.map(quoted).join(' ')})
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _sample_complete sample
    printf '%s\\n' "\${COMPREPLY[@]}"`);
  expect(err).toBe('');
  return out.split('\n').filter((one) => one !== '');
}

describe('in bash', () => {
  it.each([
    ['sample ro', ['rollout']],
    ['sample rollout ', ['status', 'undo']],
    ['sample get --out', ['--output']],
    ['sample get -o w', ['wide']],
    ['sample get --output=', ['table', 'wide', 'yaml', 'json']],
    ['sample get --output=w', ['wide']],
    ['sample -n orbit get services tele', ['telemetry-orbit']],
    ['sample --namespace=orbit get services tele', ['telemetry-orbit']],
    ['sample nonsense ', []],
    ["sample get 'unclosed", []],
  ])('offers for %j', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  it('quotes names, so that none is executed', async () => {
    expect(await offered('sample get services ')).toEqual(['telemetry-default', 'camera', '\\$\\(evil\\)', 'a\\ b']);
  });

  it.skipIf(!hasTerminal)('completes commands, values, live names and files', async () => {
    // A dumb terminal gets no control codes, so the output is plain text.
    const { out } = await sample.shell(`script -qefc 'bash --norc -i' /dev/null`, {
      env: { TERM: 'dumb', INPUTRC: '/dev/null' },
      onOutput: when(
        [/[#$] $/, ({ stdin }) => stdin.write("PS1='> '; source <(sample completion bash); echo load'ed'\n")],
        [/loaded\r\n> $/, ({ stdin }) => stdin.write('sample get serv\t')],
        [/sample get services $/, ({ stdin }) => stdin.write('tele\t')],
        [/telemetry-default $/, ({ stdin }) => stdin.write('--output=js\t')],
        [/--output=json $/, ({ stdin }) => stdin.write('\n')],
        [/"telemetry-default"\].*\r\n> $/, ({ stdin }) => stdin.write('sample apply -f manif\t')],
        [/manifests\/$/, ({ stdin }) => stdin.write('fl\t')],
        [/manifests\/fleet\.yaml $/, ({ stdin }) => stdin.write('\n')],
        [/"words":\[\]/, ({ stdin }) => stdin.write('exit\n')],
      ),
    });
    expect(out).toContain('"words":[]');
  });
});

/** Without it a test cannot tell more than that the text is there. */
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
for (const shell of ['zsh', 'fish']) {
  if (!has(shell)) console.warn(`skipped: the ${shell} completion is not tried, because ${shell} is not installed`);
}

describe.skipIf(!has('zsh'))('in zsh', () => {
  it('is a valid script that registers itself', async () => {
    const { out, code } = await sample.shell(
      `zsh -f -c 'autoload -Uz compinit; compinit -u -D; source <(sample completion zsh); echo "$_comps[sample]"'`,
    );
    expect([code, out]).toEqual([0, '_sample_complete\n']);
  });
});

describe.skipIf(!has('fish'))('in fish', () => {
  it('offers the candidates of the program', async () => {
    const { out } = await sample.shell(
      `fish --no-config -c 'sample completion fish | source; complete -C "sample get -o w"'`,
    );
    expect(out).toBe('wide\n');
  });
});

describe('the command completion', () => {
  it('prints the script of a shell, and lists the supported shells', async () => {
    for (const shell of shells) {
      expect((await sample.run(['completion', shell])).out).toBe(completionScript(shell, 'sample'));
    }
    expect((await sample.run(['completion', 'tcsh'])).err).toBe(
      'sample: there is no completion for "tcsh": use bash, zsh, fish\nTry: sample completion --help\n',
    );
  });

  it('creates valid function names for every shell', () => {
    expect(completionScript('bash', 'ecsm-cli')).toContain('complete -F _ecsm_cli_complete ecsm-cli');
  });
});
