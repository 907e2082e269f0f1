/** The operator as one file: it has to run where there is nothing but Node.js, as in its image. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifests } from '@ecsm/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation } from '../src/program/manifests.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const name = 'etcd-operator.mjs';
let scratch: string;
let directory: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'etcd-operator-bundle-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'bundle.mjs'), scratch], { stdio: 'pipe' });
  directory = mkdtempSync(join(scratch, 'empty-'));
  copyFileSync(join(scratch, name), join(directory, name));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(...argv: string[]) {
  const env = { PATH: process.env['PATH'], HOME: directory };
  const { status, stdout, stderr } = spawnSync(process.execPath, [name, ...argv], { cwd: directory, env });
  return { code: status, out: stdout.toString(), err: stderr.toString() };
}

it('prints its help and its version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'etcd-operator', 'package.json'), 'utf8'));
  expect(run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('help COMMAND') });
  expect(run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

it('prints the definitions and everything else of an installation', async () => {
  const { code, out } = run('crd');
  expect(code).toBe(0);
  expect(out).toMatch(/^apiVersion: apiextensions.k8s.io\/v1\nkind: CustomResourceDefinition\n/);
  const printed = run('manifests', '--image', 'registry.example/etcd-operator:1.0', '--install-namespace', 'ops');
  const objects = (await readManifests(Buffer.from(printed.out), { file: 'manifests' })).map(({ object }) => object);
  expect(objects).toEqual(installation({ image: 'registry.example/etcd-operator:1.0', namespace: 'ops' }));
});

it('starts, and says that there is no Kubernetes', () => {
  expect(run('--once')).toMatchObject({ code: 1, err: expect.stringContaining('there is no kubeconfig') });
  expect(readdirSync(directory)).toEqual([name]);
});

it('contains the licences of its libraries, no SQLite, and is ASCII', () => {
  const text = readFileSync(join(directory, name), 'utf8');
  expect(text).toMatch(/^yaml [\d.]+ \(ISC\)$/m);
  expect(text).not.toContain('\n//sqlite ');
  expect(/\P{ASCII}/u.test(text)).toBe(false);
});

it('is all that its image contains besides Node.js, and runs there without privileges', () => {
  const lines = readFileSync(join(root, 'packages', 'etcd-operator', 'Dockerfile'), 'utf8').split('\n');
  const of = (instruction: string) => lines.filter((line) => line.startsWith(`${instruction} `));
  expect(of('COPY')).toEqual([`COPY --chmod=0755 ${name} etcd-agent.mjs /usr/local/bin/`]);
  expect(of('RUN')).toEqual(['RUN ln -s etcd-agent.mjs /usr/local/bin/etcd-agent']);
  expect(of('FROM')).toEqual(['FROM node:20-slim']);
  const deployment = JSON.stringify(installation({ image: '', namespace: '' }).at(-1));
  const user = /"runAsUser":(\d+)/.exec(deployment)?.[1];
  expect(of('USER')).toEqual([`USER ${user}:${user}`]);
});
