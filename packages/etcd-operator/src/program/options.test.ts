/** What flags, variables and the config file mean together, and the errors for values that are not valid. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { nodeFiles, parse as parseWords } from '@ecsm/command-line';
import { helpText, testTerminal } from '@ecsm/command-line/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flags } from './flags.ts';
import { runOptions } from './options.ts';
import { program } from './program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const withoutListen = {
  isOnce: false,
  workers: 4,
  healthMs: 30_000,
  callTimeoutMs: 5_000,
  workerImage: 'etcd-operator:latest',
  leaderElect: false,
  leaseNamespace: 'default',
  leaseMs: 15_000,
  logLevel: 'info',
  logFormat: 'readable',
  timeoutMs: 600_000,
};
const defaults = { ...withoutListen, listen: { host: '127.0.0.1', port: 8092 } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'etcd-operator-options-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function parse(line: string, env: Environment = {}) {
  const words = line.split(' ').filter((word) => word !== '');
  const parsed = parseWords(program, words, env);
  if (parsed.kind !== 'run') return parsed;
  const { terminal } = testTerminal({ env, nodeFiles: nodeFiles({ here: folder, home: folder }) });
  return runOptions({ ...parsed.call, terminal });
}

function configured(text: string, line = '', env: Environment = {}) {
  const file = join(folder, 'operator.yaml');
  writeFileSync(file, text);
  return parse(`${line} --config ${file}`, env);
}

describe('flags', () => {
  it.each<[string, object]>([
    ['', {}],
    ['run', {}],
    ['--context site-7', { context: 'site-7' }],
    ['-n databases', { namespace: 'databases' }],
    ['--listen [::1]:0', { listen: { host: '::1', port: 0 } }],
    ['--workers 8 --health-seconds 2.5', { workers: 8, healthMs: 2_500 }],
    ['--call-timeout-seconds 0.5', { callTimeoutMs: 500 }],
    ['--leader-elect --lease-namespace ops', { leaderElect: true, leaseNamespace: 'ops' }],
    ['--lease-seconds 60', { leaseMs: 60_000 }],
    ['--log-level debug --log-format json', { logLevel: 'debug', logFormat: 'json' }],
  ])('"%s"', async (line, expected) => {
    expect(await parse(line)).toEqual({ ...defaults, ...expected });
  });

  it('accepts kubeconfig files of which one exists', async () => {
    writeFileSync(join(folder, 'site.kubeconfig'), '');
    expect(await parse('--kubeconfig site.kubeconfig')).toEqual({ ...defaults, kubeconfig: 'site.kubeconfig' });
    const kubeconfig = ['missing', 'site.kubeconfig'].join(delimiter);
    expect(await parse('', { KUBECONFIG: kubeconfig })).toEqual({ ...defaults, kubeconfig });
  });

  it('off disables the server, and so does --once unless an address is given', async () => {
    expect(await parse('--listen off')).toEqual(withoutListen);
    expect(await parse('--once')).toEqual({ ...withoutListen, isOnce: true });
    expect(await parse('--once --listen 127.0.0.1:8092 --timeout-seconds 5')).toEqual({
      ...defaults,
      isOnce: true,
      timeoutMs: 5_000,
    });
  });

  it('accepts an address for other machines, where probes and Prometheus come from', async () => {
    expect(await parse('--listen 0.0.0.0:8080')).toEqual({ ...defaults, listen: { host: '0.0.0.0', port: 8080 } });
  });

  it.each([
    ['--kubeconfig', '--kubeconfig needs a value: --kubeconfig FILE'],
    ['--kubeconfig missing', '--kubeconfig: there is no file "missing"'],
    ['--context=', 'the value of --context is empty'],
    ['--namespace', '--namespace needs a value: --namespace NAME'],
    ['--listen 8092', '--listen has to be HOST:PORT, as in 127.0.0.1:3001 or [::1]:3001, or off, not "8092"'],
    ['--workers 0', '--workers has to be a whole number from 1 to 64, not "0"'],
    ['--workers four', '--workers has to be a whole number from 1 to 64, not "four"'],
    ['--health-seconds 0', '--health-seconds has to be a number of seconds from 1 to 3600, not "0"'],
    ['--call-timeout-seconds 61', '--call-timeout-seconds has to be a number of seconds from 0.1 to 60, not "61"'],
    ['--leader-elect=maybe', '--leader-elect has to be true or false'],
    ['--lease-namespace=', 'the value of --lease-namespace is empty'],
    ['--lease-seconds 12', '--lease-seconds has to be a number of seconds from 13 to 3600, not "12"'],
    ['--log-level loud', '--log-level has to be debug, info, warn or error, not "loud"'],
    ['--log-format xml', '--log-format has to be readable or json, not "xml"'],
    ['--config /no/such/file', '--config: there is no file "/no/such/file"'],
    ['--once=often', '--once has to be true or false'],
    ['--timeout-seconds 5', '--timeout-seconds requires --once'],
    ['--once --timeout-seconds 0', '--timeout-seconds has to be a number of seconds from 1 to 86400, not "0"'],
    ['--workers 1 --workers 2', '--workers is given twice'],
    ['--namespce x', 'unknown flag --namespce. Did you mean "--namespace"?'],
    ['rum', 'unknown command "rum". Did you mean "run"?'],
    ['run main', 'run takes no arguments, but got "main"'],
    ['run --image x', 'unknown flag --image'],
  ])('"%s" is rejected with the reason in one line', async (line, message) => {
    const error = await parse(line).catch((thrown) => thrown);
    expect(error.name).toBe('UsageError');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('\n');
  });

  it('are described, each with its variable and key, in 80 columns', () => {
    const text = helpText(program, []);
    const words = text.replace(/\s+/g, ' ');
    for (const { name, help, variable = '', key = '' } of flags) {
      for (const part of [`--${name}`, help, variable, key]) expect(words).toContain(part);
    }
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('variables', () => {
  it.each<[Environment, object]>([
    [{ ETCD_OPERATOR_NAMESPACE: 'databases', ETCD_OPERATOR_CONTEXT: '' }, { namespace: 'databases' }],
    [{ ETCD_OPERATOR_LEADER_ELECT: 'true' }, { leaderElect: true }],
    [{ ETCD_OPERATOR_LEADER_ELECT: 'false' }, {}],
  ])('%o', async (env, expected) => {
    expect(await parse('', env)).toEqual({ ...defaults, ...expected });
  });

  it('are named in errors', async () => {
    await expect(parse('', { ETCD_OPERATOR_WORKERS: 'x' })).rejects.toThrow(
      'ETCD_OPERATOR_WORKERS has to be a whole number from 1 to 64, not "x"',
    );
  });
});

describe('the config file', () => {
  it('has the same options as keys; variables override it, and flags override both', async () => {
    const text = 'healthSeconds: 60\nworkers: 2\nnamespace: databases\nleaderElect: true\n';
    expect(await configured(text, '--workers 3', { ETCD_OPERATOR_NAMESPACE: 'other' })).toEqual({
      ...defaults,
      healthMs: 60_000,
      workers: 3,
      namespace: 'other',
      leaderElect: true,
    });
  });

  it.each([
    ['workers: many\n', 'operator.yaml'],
    ['worker: 1\n', 'worker'],
  ])('%j is rejected with its place', async (text, part) => {
    const error = await configured(text).catch((thrown) => thrown);
    expect(error.name).toBe('UsageError');
    expect(error.message).toContain(part);
  });
});
