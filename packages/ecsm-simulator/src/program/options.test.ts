/** What the command line means. */
import { parse } from '@ecsm/command-line';
import { helpText, testTerminal } from '@ecsm/command-line/testing';
import { describe, expect, it } from 'vitest';
import { profiles } from '../platform/behaviour.ts';
import { flags } from './flags.ts';
import { callOf, optionsOf } from './options.ts';
import { program } from './program.ts';

function parseCommandLine(argv: readonly string[]) {
  const parsed = parse(program, argv, {});
  if (parsed.kind !== 'run') return parsed;
  const call = { ...parsed.call, terminal: testTerminal().terminal };
  return parsed.command.name === 'call'
    ? { kind: 'call', command: callOf(call) }
    : { kind: 'run', options: optionsOf(call) };
}

const defaults = {
  host: '127.0.0.1',
  port: 3001,
  allowRemote: false,
  nodes: 3,
  services: 0,
  seed: 1,
  latencyMs: 0,
  lossPercent: 0,
  behaviour: {},
  logFormat: 'readable',
  quiet: false,
};

describe('the command line', () => {
  it.each<[string, object]>([
    ['', {}],
    ['--listen 127.0.0.1:0', { port: 0 }],
    ['--listen=localhost:8080', { host: 'localhost', port: 8080 }],
    ['--listen [::1]:3002', { host: '::1', port: 3002 }],
    ['--listen 0.0.0.0:3001 --allow-remote', { host: '0.0.0.0', allowRemote: true }],
    ['--nodes 10 --services 200 --seed 42', { nodes: 10, services: 200, seed: 42 }],
    ['--latency 800 --loss 2.5', { latencyMs: 800, lossPercent: 2.5 }],
    ['--profile contrary', { behaviour: profiles.contrary }],
    [
      '--profile instant --set update=roll --set startMs=50',
      { behaviour: { ...profiles.instant, update: 'roll', startMs: 50 } },
    ],
    ['--set failureData=null', { behaviour: { failureData: 'null' } }],
    ['--state a.json --log-format json --quiet', { stateFile: 'a.json', logFormat: 'json', quiet: true }],
  ])('"%s"', (line, expected) => {
    const argv = line.split(' ').filter((word) => word !== '');
    expect(parseCommandLine(argv)).toEqual({ kind: 'run', options: { ...defaults, ...expected } });
  });

  it.each([
    ['call /sim/', { method: 'GET', path: '/sim/', url: 'http://127.0.0.1:3001' }],
    ['call post /sim/x {"a":1}', { method: 'POST', path: '/sim/x', body: '{"a":1}', url: 'http://127.0.0.1:3001' }],
    ['call --to http://[::1]:9 DELETE /sim/x', { method: 'DELETE', path: '/sim/x', url: 'http://[::1]:9' }],
  ])('"%s" is a call', (line, command) => {
    expect(parseCommandLine(line.split(' '))).toEqual({ kind: 'call', command });
  });

  it.each([
    ['call', 'call requires a path that starts with /, for example: ecsm-sim call POST /sim/nodes/node-1/cut'],
    ['call POST', 'call requires a path that starts with /'],
    ['call /sim/ {', 'the body has to be JSON, for example \'{"factor":5}\', not {'],
    ['call POST /sim/x {} more', 'unexpected argument "more": quote the JSON body'],
    [
      'call /sim/ --to nowhere',
      '--to has to be the URL of a simulator, for example http://127.0.0.1:3001, not "nowhere"',
    ],
    ['call /sim/ --from x', 'unknown flag --from.'],
    ['--noeds 3', 'unknown flag --noeds. Did you mean "--nodes"?'],
    ['--xyzzyxyzzy', 'unknown flag --xyzzyxyzzy.'],
    ['-n 3', 'unknown flag -n.'],
    ['--nodes', '--nodes needs a value: --nodes N'],
    ['--nodes --quiet', '--nodes needs a value: --nodes N'],
    ['--nodes three', '--nodes has to be a whole number from 0 to 10000, not "three"'],
    ['--nodes -3', '--nodes has to be a whole number from 0 to 10000, not "-3"'],
    ['--nodes 1 --nodes 2', '--nodes is given twice'],
    ['--loss 101', '--loss has to be a percentage from 0 to 100, not "101"'],
    ['--listen 3001', '--listen has to be HOST:PORT, as in 127.0.0.1:3001 or [::1]:3001, not "3001"'],
    ['--listen 127.0.0.1:99999', '--listen has to be HOST:PORT'],
    ['--profile likly', '--profile has to be likely, contrary or instant, not "likly". Did you mean "likely"?'],
    ['--set updte=roll', 'there is no switch "updte". Did you mean "update"?'],
    ['--set update=sideways', 'update has to be recreate or roll, not "sideways"'],
    ['--set update', '"update" is not of the form switch=value'],
    ['--set startMs=soon', 'startMs has to be a number of 0 or more, not'],
    ['--set startMs=', 'startMs has to be a number of 0 or more, not'],
    ['--log-format xml', '--log-format has to be readable or json, not "xml"'],
    ['--quiet=yes', '--quiet has to be true or false'],
    ['--state=', 'the value of --state is empty'],
    ['run', 'unknown command "run".'],
  ])('"%s" is rejected with a reason', (line, message) => {
    expect(() => parseCommandLine(line.split(' '))).toThrow(message);
  });

  it('describes every option, after some examples', () => {
    const text = helpText(program, []);
    const words = text.replace(/\s+/g, ' ');
    for (const { name, help } of flags) {
      expect(words).toContain(`--${name}`);
      expect(words).toContain(help);
    }
    expect(text.indexOf('Examples:')).toBeLessThan(text.indexOf('Flags:'));
    expect(parseCommandLine(['--help'])).toMatchObject({ kind: 'help' });
    expect(parseCommandLine(['--version'])).toMatchObject({ kind: 'version' });
  });
});
