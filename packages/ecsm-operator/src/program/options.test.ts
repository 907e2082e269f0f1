/** What flags, variables and the config file mean together, and what is said about what means nothing. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles, parse as parseWords } from '@ecsm/command-line';
import { helpText, testTerminal } from '@ecsm/command-line/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { flags } from './flags.ts';
import { planOptions, runOptions } from './options.ts';
import { program } from './program.ts';

type Environment = Readonly<Record<string, string | undefined>>;
const home = { HOME: '/home/ada' };
const defaults = {
  registry: 'sqlite:/home/ada/.ecsm/registry',
  ecsm: 'http://127.0.0.1:3001',
  headers: {},
  listen: { host: '127.0.0.1', port: 8090 },
  observeMs: 60_000,
  linkBudgetBytesPerSecond: 8_000,
  autoscalingMs: 15_000,
  restoreMs: 60_000,
  prometheusServers: [],
  inFlightMax: 16,
  workers: 16,
  callTimeoutMs: 10_000,
  leaderElect: false,
  leaseMs: 15_000,
  logLevel: 'info',
  logFormat: 'readable',
  timeoutMs: 300_000,
};
const { listen: _listen, ...withoutListen } = defaults;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ecsm-options-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wordsOf = (line: string) => line.split(' ').filter((word) => word !== '');
const parseCommand = async (argv: readonly string[], env: Environment) => {
  const parsed = parseWords(program, argv, env);
  if (parsed.kind !== 'run') return parsed;
  const { terminal } = testTerminal({ env, nodeFiles: nodeFiles({ here: folder, home: folder }) });
  const call = { ...parsed.call, terminal };
  return parsed.command.name === 'plan' ? { kind: 'plan', ...(await planOptions(call)) } : runOptions(call);
};
const parse = (line: string, environment: Environment = home) => parseCommand(wordsOf(line), environment);
const configured = (text: string, line = '', environment: Environment = home) => {
  const file = join(folder, 'operator.yaml');
  writeFileSync(file, text);
  return parseCommand([...wordsOf(line), '--config', file], environment);
};

it('accepts the config file of the systemd unit', async () => {
  const example = new URL('../../../../examples/systemd/operator.yaml', import.meta.url);
  expect(await configured(readFileSync(example, 'utf8'))).toEqual({ kind: 'run', options: defaults });
});

describe('flags', () => {
  it.each<[string, object]>([
    ['', {}],
    ['run', {}],
    ['--registry file:./fleet --ecsm https://ecsm.site/x', { registry: 'file:./fleet', ecsm: 'https://ecsm.site/x' }],
    ['--listen [::1]:0', { listen: { host: '::1', port: 0 } }],
    ['--listen=localhost:99 run', { listen: { host: 'localhost', port: 99 } }],
    ['--observe-seconds 2.5 --call-timeout-seconds 0.2', { observeMs: 2_500, callTimeoutMs: 200 }],
    [
      '--autoscaling-seconds 5 --prometheus-server http://a:9090 --prometheus-server https://b',
      { autoscalingMs: 5_000, prometheusServers: ['http://a:9090', 'https://b'] },
    ],
    ['--restore-seconds 300', { restoreMs: 300_000 }],
    ['--in-flight 8 --workers 24', { inFlightMax: 8, workers: 24 }],
    ['--header=X-One:1 --header=Authorization:Bearer', { headers: { 'x-one': '1', authorization: 'Bearer' } }],
    ['--ecsm https://ecsm.site --tls-ca ca.pem', { ecsm: 'https://ecsm.site', tlsCa: 'ca.pem' }],
    ['--leader-elect --log-level debug --log-format json', { leaderElect: true, logLevel: 'debug', logFormat: 'json' }],
    ['--call-timeout-seconds 60', { callTimeoutMs: 60_000 }],
    [
      '--leader-elect --call-timeout-seconds 60 --lease-seconds 65',
      { leaderElect: true, callTimeoutMs: 60_000, leaseMs: 65_000 },
    ],
  ])('"%s"', async (line, expected) => {
    expect(await parse(line)).toEqual({ kind: 'run', options: { ...defaults, ...expected } });
  });

  it('off disables the server, and so does --once unless an address is given', async () => {
    expect(await parse('--listen off')).toEqual({ kind: 'run', options: withoutListen });
    expect(await parse('--once')).toEqual({ kind: 'once', options: withoutListen });
    expect(await parse('--once --listen 127.0.0.1:8090 --timeout-seconds 5')).toEqual({
      kind: 'once',
      options: { ...defaults, timeoutMs: 5_000 },
    });
  });

  it('plan accepts names or all', async () => {
    const options = withoutListen;
    expect(await parse('plan telemetry orbit/camera')).toEqual({
      kind: 'plan',
      options,
      names: [
        { namespace: 'default', name: 'telemetry' },
        { namespace: 'orbit', name: 'camera' },
      ],
      showValues: false,
    });
    expect(await parse('plan a --show-values')).toMatchObject({ showValues: true });
    expect(await parse('plan --all')).toEqual({ kind: 'plan', options, names: 'all', showValues: false });
  });

  it.each([
    [
      '--leader-elect --call-timeout-seconds 11',
      'with --leader-elect, --call-timeout-seconds (11 s) + 4 s to stop = 15 s has to be less than --lease-seconds (15 s), or two operators could act concurrently: set --lease-seconds above 15, or --call-timeout-seconds below 11',
    ],
    ['--once --leader-elect --lease-seconds 14', '--call-timeout-seconds (10 s) + 4 s to stop = 14 s has to be less'],
    ['--lease-seconds 12', '--lease-seconds has to be a number of seconds from 13 to 3600, not "12"'],
    ['--registy file:x', 'unknown flag --registy. Did you mean "--registry"?'],
    ['-v', 'unknown flag -v.'],
    ['start', 'unknown command "start". There are run, plan, '],
    ['rum', 'unknown command "rum". Did you mean "run"?'],
    ['run telemetry', 'run takes no arguments, but got "telemetry"'],
    ['--workers', '--workers needs a value: --workers N'],
    ['--workers --once', '--workers needs a value: --workers N'],
    ['--workers four', '--workers has to be a whole number from 1 to 64, not "four"'],
    ['--workers 0', '--workers has to be a whole number from 1 to 64, not "0"'],
    ['--workers 1 --workers 2', '--workers is given twice'],
    ['--once=yes', '--once has to be true or false'],
    ['--restore-seconds 0', '--restore-seconds has to be a number of seconds from 1 to 86400, not "0"'],
    ['--autoscaling-seconds 0', '--autoscaling-seconds has to be a number of seconds from 1 to 3600, not "0"'],
    ['--prometheus-server ftp://a', '--prometheus-server has to be a URL such as http://127.0.0.1:3001, not "ftp://a"'],
    ['--observe-seconds 0', '--observe-seconds has to be a number of seconds from 1 to 3600, not "0"'],
    ['--observe-seconds 1e3', '--observe-seconds has to be a number of seconds from 1 to 3600, not "1e3"'],
    ['--listen 8090', '--listen has to be HOST:PORT, as in 127.0.0.1:3001 or [::1]:3001, or off, not "8090"'],
    ['--listen 0.0.0.0:8090', '--listen: refusing to listen on 0.0.0.0: other machines could connect'],
    ['--listen [::]:8090', '--listen: refusing to listen on ::: other'],
    ['--listen 127.0.0.1.evil.org:80', '--listen: refusing to listen on 127.0.0.1.evil.org'],
    ['--ecsm 127.0.0.1:3001', '--ecsm has to be a URL such as http://127.0.0.1:3001, not "127.0.0.1:3001"'],
    ['--ecsm http://root:secret@site', '--ecsm must not hold a user or password: send them with --header'],
    ['--registry redis:x', '--registry: registry URL "redis:x": it has to be sqlite:<directory>, file:<directory>'],
    ['--registry=', 'the value of --registry is empty'],
    ['--header Authorization', "--header has to be 'NAME: VALUE', of printable ASCII characters"],
    ['--header Host:x', '--header: the header Host is set by the transport and cannot be overridden'],
    ['--header=a:1 --header=A:2', '--header: the header A is set twice'],
    ['--tls-ca ca.pem', '--tls-ca requires a platform with https://, not http://127.0.0.1:3001'],
    ['--log-level loud', '--log-level has to be debug, info, warn or error, not "loud"'],
    ['--timeout-seconds 5', '--timeout-seconds requires --once'],
    ['plan a --timeout-seconds 5', '--timeout-seconds requires --once'],
    ['--all', '--all is only valid with plan: ecsm-operator plan --all'],
    ['--show-values', '--show-values is only valid with plan: ecsm-operator plan --show-values'],
    ['plan', 'plan needs the name of a service, or --all'],
    ['plan a --all', 'plan takes names or --all, not both'],
    ['plan a --once', '--once is not valid with plan, which changes nothing'],
    ['plan A/b/c', '"A/b/c" is not the name of a service: it has to be NAME or NAMESPACE/NAME'],
    ['--config /no/such/file', '--config: there is no file "/no/such/file"'],
  ])('"%s" is rejected with the reason in one line', async (line, message) => {
    const error = await parse(line).catch((thrown) => thrown);
    expect(error.name).toBe('UsageError');
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/\n|secret/);
  });

  it('describes every option, after some examples, in 80 columns', async () => {
    const text = helpText(program, []);
    const words = text.replace(/\s+/g, ' ');
    for (const { name, help, variable = '', key = '' } of flags) {
      for (const part of [`--${name}`, help, variable, key]) expect(words).toContain(part);
    }
    expect(text.indexOf('Examples:')).toBeLessThan(text.indexOf('Flags:'));
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await parse('--help --workers none')).toMatchObject({ kind: 'help' });
    expect(await parse('plan --version')).toMatchObject({ kind: 'version' });
  });
});

describe('variables', () => {
  it.each<[Environment, object]>([
    [{ ECSM_HOME: '/srv/ecsm' }, { registry: 'sqlite:/srv/ecsm/registry' }],
    [{ ...home, ECSM_REGISTRY: 'memory:' }, { registry: 'memory:' }],
    [{ ...home, ECSM_REGISTRY: '', ECSM_URL: '' }, {}],
    [
      { ...home, ECSM_URL: 'http://a:1', ECSM_HEADER: 'A: 1\nB: 2\n' },
      { ecsm: 'http://a:1', headers: { a: '1', b: '2' } },
    ],
    [{ ...home, ECSM_OPERATOR_LEADER_ELECT: 'true' }, { leaderElect: true }],
    [{ ...home, ECSM_OPERATOR_LEADER_ELECT: 'false' }, {}],
    [{ ...home, ECSM_OPERATOR_OBSERVE_SECONDS: '30' }, { observeMs: 30_000 }],
    [{ ...home, ECSM_OPERATOR_LINK_BUDGET: '100000' }, { linkBudgetBytesPerSecond: 100_000 }],
  ])('%o', async (environment, expected) => {
    expect(await parse('', environment)).toEqual({ kind: 'run', options: { ...defaults, ...expected } });
  });

  it('are named in errors', async () => {
    await expect(parse('', { ...home, ECSM_OPERATOR_WORKERS: 'x' })).rejects.toThrow(
      'ECSM_OPERATOR_WORKERS has to be a whole number from 1 to 64, not "x"',
    );
    await expect(parse('', { ...home, ECSM_HEADER: 'hunter2 hunter2' })).rejects.toThrow(
      /^ECSM_HEADER has to be 'NAME: VALUE', of printable ASCII characters$/,
    );
    await expect(parse('', {})).rejects.toThrow('no registry is set, and there is no HOME for the default one');
  });
});

describe('the config file', () => {
  it('accepts the same options as keys, in YAML', async () => {
    const command = await configured(`
# One of the site.
registry: sqlite:/var/lib/ecsm/registry
ecsm: http://10.0.0.5:3001
header:
  - 'Authorization: Bearer abc'
  - 'X-Site: 7'
listen: off
observeSeconds: 30
inFlight: 2
leaderElect: true
`);
    expect(command).toEqual({
      kind: 'run',
      options: {
        ...withoutListen,
        registry: 'sqlite:/var/lib/ecsm/registry',
        ecsm: 'http://10.0.0.5:3001',
        headers: { authorization: 'Bearer abc', 'x-site': '7' },
        observeMs: 30_000,
        inFlightMax: 2,
        leaderElect: true,
      },
    });
  });

  it('may be JSON, or empty', async () => {
    expect(await configured('{"workers": 9, "header": "A: b"}')).toEqual({
      kind: 'run',
      options: { ...defaults, workers: 9, headers: { a: 'b' } },
    });
    expect(await configured('# nothing yet\n')).toEqual({ kind: 'run', options: defaults });
  });

  it('has a lower precedence than variables, and variables than flags', async () => {
    const text = 'workers: 1\ninFlight: 1\nobserveSeconds: 1\n';
    const environment = { ...home, ECSM_OPERATOR_IN_FLIGHT: '2', ECSM_OPERATOR_OBSERVE_SECONDS: '2' };
    expect(await configured(text, '--observe-seconds 3', environment)).toEqual({
      kind: 'run',
      options: { ...defaults, workers: 1, inFlightMax: 2, observeMs: 3_000 },
    });
  });

  it.each([
    [
      'workers: 4\nobserveSecond: 5\n',
      'operator.yaml:2:1: unknown setting "observeSecond". Did you mean "observeSeconds"?',
    ],
    ['workers: 4\n"a.b": 5\n', 'operator.yaml:1:1: unknown setting "a.b". There are registry, '],
    ['\n  workers: many\n', 'operator.yaml:2:3: workers has to be a whole number from 1 to 64, not "many"'],
    ['workers: [1, 2]\n', 'operator.yaml:1:1: workers has to be a single value, not a list'],
    ['header: [[]]\n', 'operator.yaml:1:1: header has to be a single value, not a list'],
    ['workers:\n', 'operator.yaml:1:1: workers has to be a single value, not null'],
    ['leaderElect: yes please\n', 'operator.yaml:1:1: leaderElect has to be true or false, not "yes please"'],
    ['workers: 4\nworkers: 5\n', 'operator.yaml:2:1: '],
    ['- workers\n', 'operator.yaml:1:3: expected an object'],
    ['workers: "4\n', 'operator.yaml:'],
    ['workers: 4\n---\nworkers: 5\n', 'operator.yaml:3: a config file has to contain a single document'],
    ['config: other.yaml\n', 'unknown setting "config".'],
    ['once: true\n', 'unknown setting "once".'],
  ])('%j is refused with its place', async (text, message) => {
    const error = await configured(text).catch((thrown) => thrown);
    expect(error.name).toBe('UsageError');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('\n');
  });
});
