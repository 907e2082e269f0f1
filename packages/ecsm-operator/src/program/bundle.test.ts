/** The operator as one file: it has to run where there is nothing but Node. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { openSite, root, run, start, telemetry } from './process.kit.ts';

const programs = ['ecsm-apiserver', 'ecsm-cli', 'ecsm-operator', 'ecsm-sim', 'ecsmctl', 'etcd-agent', 'etcd-operator'];
let scratch: string;
let empty: string;
let bundle: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ecsm-bundle-'));
  const made = join(scratch, 'made');
  execFileSync(process.execPath, [join(root, 'scripts', 'bundle.mjs'), made], { stdio: 'pipe' });
  expect(readdirSync(made).sort()).toEqual(programs.map((name) => `${name}.mjs`));
  empty = join(scratch, 'empty');
  mkdirSync(empty);
  bundle = join(empty, 'ecsm-operator.mjs');
  copyFileSync(join(made, 'ecsm-operator.mjs'), bundle);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('can be started as a program', () => {
  const { status } = spawnSync(bundle, ['--help'], { cwd: empty });
  expect(status).toBe(0);
});

it.each(programs)('starts %s in a directory with nothing else', (name) => {
  const elsewhere = join(scratch, `only-${name}`);
  mkdirSync(elsewhere);
  const file = join(elsewhere, `${name}.mjs`);
  copyFileSync(join(scratch, 'made', `${name}.mjs`), file);
  const { status, stdout, stderr } = spawnSync(file, ['--version'], { cwd: elsewhere, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('0.1.0');
});

it('starts by a link of another name, also where Node.js does not detect modules by their syntax', () => {
  const link = join(scratch, 'ecsmctl');
  symlinkSync(join(scratch, 'made', 'ecsmctl.mjs'), link);
  const env = { ...process.env, NODE_OPTIONS: '--no-experimental-detect-module' };
  const { status, stdout } = spawnSync(link, ['--version'], { cwd: empty, env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, 'ecsmctl 0.1.0\n']);
});

it('has an ecsmctl that writes and reads a registry in SQLite', () => {
  const elsewhere = join(scratch, 'tools');
  mkdirSync(elsewhere);
  const file = join(elsewhere, 'ecsmctl.mjs');
  copyFileSync(join(scratch, 'made', 'ecsmctl.mjs'), file);
  const env = { ...process.env, ECSM_HOME: elsewhere };
  const ecsmctl = (...argv: string[]) => spawnSync(file, argv, { cwd: elsewhere, env, encoding: 'utf8' });
  expect(ecsmctl('apply', '-f', join(root, 'examples/quickstart/worker.yaml')).stdout).toBe(
    'ecsmservice/worker created\n',
  );
  expect(ecsmctl('get', 'services', '-o', 'name').stdout).toBe('ecsmservice/worker\n');
});

it('prints its version', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'ecsm-operator', 'package.json'), 'utf8'));
  expect(await run(['--version'], { file: bundle, cwd: empty })).toEqual({ code: 0, output: `${version}\n` });
});

it('contains the licences of its libraries, and is ASCII', () => {
  const text = readFileSync(bundle, 'utf8');
  for (const name of ['@photostructure/sqlite', 'yaml'])
    expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\((MIT|ISC)\\)$`, 'm'));
  expect(/\P{ASCII}/u.test(text)).toBe(false);
});

describe.each(['sqlite', 'file'])('with a registry of %s', (scheme) => {
  it('reconciles a service with a platform, and leaves no unpacked library behind', async () => {
    const site = await openSite();
    const url = `${scheme}:${join(site.directory, scheme)}`;
    const registry = await openRegistry(url, { kinds: [ECSMService] });
    await registry.resource(ECSMService).apply(telemetry());
    await registry.close();
    const temporary = join(site.directory, 'tmp');
    mkdirSync(temporary);
    const argv = ['--once', '--registry', url, '--ecsm', site.url, '--timeout-seconds', '40'];
    const { code, output } = await run(argv, { file: bundle, cwd: empty, env: { TMPDIR: temporary } });
    expect(code, output).toBe(0);
    expect(output).toContain('1 service reconciled');
    expect(site.simulator.platform.services().map(({ name }) => name)).toEqual(['telemetry']);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(empty)).toEqual(['ecsm-operator.mjs']);
  });
});

it('runs until it is stopped', async () => {
  const { child, until, ended } = start(['--registry', 'memory:', '--listen', '127.0.0.1:0'], {
    file: bundle,
    cwd: empty,
  });
  await until(/health server listening/);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
