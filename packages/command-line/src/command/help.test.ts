import { describe, expect, it } from 'vitest';
import { displayWidth } from '../text/width.ts';
import { helpText } from './help.ts';
import { sampleProgram } from './sample.kit.ts';
import { runInTestTerminal } from './test-terminal.kit.ts';
import { wordLimitsOf } from './usage.ts';

const program = sampleProgram();
const command = (name: string) => program.commands.filter((one) => one.name === name);

describe('help', () => {
  it('of the program has examples, usage, commands in groups, flags and exit codes', () => {
    expect(helpText(program, [])).toBe(`sample: a program for tests

Examples:
  # as an example
  sample get services

Usage:
  sample COMMAND [FLAGS]

Inspect:
  get         show objects

Change:
  apply       create or update objects
  rollout     manage rollouts

Commands:
  exec        run something
  diff        compare
  follow      show a log
  version     print the version
  completion  print a shell script that completes commands, flags and names

Flags:
  -n, --namespace NS  the namespace. Default default ($SAMPLE_NAMESPACE, key
                      namespace)
      --header TEXT   sent with every request; may be repeated ($SAMPLE_HEADER,
                      key header)
      --insecure      skip checks ($SAMPLE_INSECURE, key insecure)
      --registry URL  where the objects are (key registry)
      --config FILE   the config file ($SAMPLE_CONFIG)
  -v, --verbose       print requests and the stack traces of errors
  -h, --help          print help and exit

Exit codes:
  0    success, also if the reader closed the output pipe
  1    failure
  2    usage error
  130  interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP

Help for a command: sample help COMMAND
`);
  });

  it('of a command has its own flags before the global ones', () => {
    expect(helpText(program, command('get'), 60)).toBe(`sample get: show objects

Examples:
  # services in all namespaces
  sample get services -A
  # one service as YAML
  sample get service telemetry -o yaml

Usage:
  sample get KIND [NAME...] [FLAGS]

Also called:
  list

Shows the objects of a kind, or those that are named, as a
table or in another format.

Flags:
  -A, --all-namespaces     in all namespaces
  -o, --output FORMAT      the format: table, wide, yaml,
                           json. Default table
  -l, --selector SELECTOR  only those with these labels, as
                           in app=camera,tier!=test; may be
                           repeated
  -w, --watch              go on with changes until Ctrl-C
                           ($SAMPLE_WATCH)

Flags of every command:
  -n, --namespace NS  the namespace. Default default
                      ($SAMPLE_NAMESPACE, key namespace)
      --header TEXT   sent with every request; may be
                      repeated ($SAMPLE_HEADER, key header)
      --insecure      skip checks ($SAMPLE_INSECURE, key
                      insecure)
      --registry URL  where the objects are (key registry)
      --config FILE   the config file ($SAMPLE_CONFIG)
  -v, --verbose       print requests and the stack traces of
                      errors
  -h, --help          print help and exit
`);
  });

  it('of a command lists subcommands, and exit codes of its own', () => {
    expect(helpText(program, command('rollout'))).toContain(`Commands:
  status  how far it is
  undo    back to the version before
`);
    expect(helpText(program, command('rollout'))).toContain('Help for a command: sample help rollout COMMAND');
    expect(helpText(program, command('diff'))).toContain(
      'Exit codes:\n  0    the same\n  1    they differ\n  3    it failed\n',
    );
  });

  it.each([20, 40, 60, 80, 100, 300])('fits %d columns', (columns) => {
    for (const path of [[], ...program.commands.map((one) => [one])]) {
      const tooLong = helpText(program, path, columns)
        .split('\n')
        .filter((line) => displayWidth(line) > Math.max(40, columns));
      expect(tooLong).toEqual([]);
    }
  });

  it('breaks a long example so that it stays valid for a shell', () => {
    const line = 'sample get services --namespace orbit --selector app=camera --output json --watch --header "a b"';
    const text = helpText({ ...program, examples: [{ help: 'long', line }] }, [], 60);
    const shown = /# long\n((?:.*\\\n)*.*)\n/.exec(text)?.[1] ?? '';
    expect(shown.split('\n').length).toBeGreaterThan(1);
    expect(shown.replace(/ \\\n +/g, ' ').trim()).toBe(line);
  });

  it('is written to standard output, in the width of the terminal', async () => {
    const { out, err, code } = await runInTestTerminal(program, ['get', '-h'], { terminal: { columns: 60, rows: 24 } });
    expect([out, err, code]).toEqual([helpText(program, command('get'), 60), '', 0]);
  });
});

it('derives the number of words of a command from its usage', () => {
  const limits = (words: string | undefined, more = {}) =>
    Object.values(
      wordLimitsOf({ name: 'x', help: '', examples: [], ...(words === undefined ? {} : { words }), ...more }),
    );
  expect(
    [undefined, 'KIND', 'KIND [NAME...]', 'NAME...', '[NAME]', 'KIND NAME COUNT'].map((one) => limits(one)),
  ).toEqual([
    [0, 0],
    [1, 1],
    [1, Number.POSITIVE_INFINITY],
    [1, Number.POSITIVE_INFINITY],
    [0, 1],
    [3, 3],
  ]);
  expect(limits('(KIND NAME | -f FILE)', { wordsMin: 0, wordsMax: 2 })).toEqual([0, 2]);
});
