/**
 * Goal: users with the default roles see of services what they may see, and lose nothing when they write. Method: an API
 * server with TLS, tokens and roles on a registry in a directory, and unmodified kubectl and ecsmctl as several users.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToken, RegistryTokens, serverKinds, startServing } from '@ecsm/apiserver';
import { type EmbeddedRegistry, Manager, openRegistry, systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findKubectl, type KubectlResult, kubectlWith } from '../../apiserver/test/kubectl.kit.ts';
import { ECSMService } from '../src/apis/ecsm-service.ts';
import { operatorKinds } from '../src/apis/kinds.ts';
import { ServiceRevision } from '../src/apis/service-revision.ts';
import { revisionHash } from '../src/resource/hash.ts';

const kubectl = findKubectl();
const ecsmctl = fileURLToPath(new URL('../../../bin/ecsmctl', import.meta.url));

const manifest = (image: string, values = true) => `
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: radar }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1] }
  template:
    image: radar@${image}#sylixos
${
  values
    ? `    command: [/apps/radar, "--seed", "pin-4711"]
    env: [{ name: ADMIN_PIN, value: "pin-4711" }, { name: TOTP_SEED, value: pin-4711-seed }]
    vsoa: { port: 4001, password: pin-4711-vsoa }`
    : `    env: [{ name: ADMIN_PIN }, { name: TOTP_SEED }]
    vsoa: { port: 4001 }`
}
`;
const values = {
  command: ['/apps/radar', '--seed', 'pin-4711'],
  env: [
    { name: 'ADMIN_PIN', value: 'pin-4711' },
    { name: 'TOTP_SEED', value: 'pin-4711-seed' },
  ],
  vsoa: { port: 4001, password: 'pin-4711-vsoa' },
};

describe.skipIf(kubectl === undefined)('users of the API server', () => {
  let directory: string;
  let registry: EmbeddedRegistry;
  let admin: ReturnType<typeof kubectlWith>;
  let stop: () => Promise<void>;
  const kubeconfigs = new Map<string, string>();

  const as = (user: string, line: string, input?: string, more?: NodeJS.ProcessEnv) =>
    kubectlWith(kubectl ?? '', kubeconfigs.get(user) ?? '', directory, more)(line, input);
  const ok = async (running: Promise<KubectlResult>) => {
    const { code, out, err } = await running;
    expect(code, `${out}${err}`).toBe(0);
    return out;
  };
  const tool = (user: string, line: string, input = '', more: NodeJS.ProcessEnv = {}): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: directory, KUBECONFIG: kubeconfigs.get(user), ...more };
      const words = [ecsmctl, '--registry', 'kubernetes:', ...line.split(' ')];
      const child = execFile(process.execPath, words, { cwd: directory, env, timeout: 110_000 }, (error, out, err) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err }),
      );
      child.stdin?.end(input);
    });
  const stored = async () => (await registry.resource(ECSMService).get('radar')).spec.template;
  /** An editor that replaces one text by another one. */
  const editor = (from: string, to: string) => {
    const path = join(directory, 'editor.sh');
    writeFileSync(path, `#!/bin/sh\ncp "$1" "${join(directory, 'opened.txt')}"\nsed -i 's|${from}|${to}|' "$1"\n`);
    chmodSync(path, 0o755);
    return { EDITOR: path, KUBE_EDITOR: path };
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-hidden-'));
    const kinds = [...operatorKinds, ...serverKinds.filter((kind) => !operatorKinds.includes(kind))];
    registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds });
    const address = { host: '127.0.0.1', port: 0 };
    const serving = await startServing({ registry, address, directory: join(directory, 'pki') });
    const manager = new Manager({ registry });
    for (const runnable of serving.runnables) manager.add(runnable);
    const end = new AbortController();
    const ended = manager.run({ signal: end.signal });
    stop = async () => {
      end.abort();
      await ended;
      await registry.close();
    };
    admin = kubectlWith(kubectl ?? '', serving.adminKubeconfig, directory);
    await ok(admin('create role writer --verb=* --resource=ecsmservices.ecsm.sh,servicerevisions.ecsm.sh'));
    await ok(admin('create rolebinding writer --role=writer --user=writer'));
    for (const name of ['view', 'edit', 'admin', 'writer']) {
      if (name !== 'writer') await ok(admin(`create rolebinding ${name} --clusterrole=${name} --user=${name}`));
      const { token } = await createToken(new RegistryTokens(registry), systemClock, { user: name });
      const path = join(directory, `${name}.kubeconfig`);
      kubeconfigs.set(name, path);
      const config = kubectlWith(kubectl ?? '', path, directory);
      const ca = join(directory, 'pki', 'ca.crt');
      await ok(config(`config set-cluster c --server=${serving.url} --certificate-authority=${ca}`));
      await ok(config(`config set-credentials u --token=${token}`));
      await ok(config('config set-context x --cluster=c --user=u'));
      await ok(config('config use-context x'));
      await vi.waitFor(() => ok(as(name, 'get ecsmservices')), { timeout: 60_000, interval: 200 });
    }
  }, 120_000);
  afterAll(async () => {
    await stop?.();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await admin('delete ecsmservices,servicerevisions --all');
    await ok(admin('apply -f -', manifest('1.0.0')));
    const service = await registry.resource(ECSMService).get('radar');
    const { template } = service.spec;
    const { apiVersion, kind, metadata } = service;
    await registry.resource(ServiceRevision).create({
      metadata: { name: 'radar-1', ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }] },
      spec: {
        service: 'radar',
        number: 1,
        hash: revisionHash({ template }),
        template: JSON.parse(JSON.stringify(template)),
      },
    });
  });

  it.each(['view', 'writer'])(
    'sees no value as %s: in objects, revisions, tables, watches and descriptions',
    async (user) => {
      for (const line of [
        'get ecsmservices radar -o yaml',
        'get ecsmservices -o json',
        'get servicerevisions -o yaml',
        'get ecsmservices -o wide',
        'describe ecsmservice radar',
        'get ecsmservices -o json -w --request-timeout=2s',
        "get ecsmservices -o jsonpath='{..value}{..command}{..password}'",
      ]) {
        const { out, err } = await as(user, line);
        expect(out, line).not.toContain('4711');
        if (!line.includes('wide'))
          expect(err, line).toContain('Warning: hidden, because you may not get secrets: spec.template.');
      }
      expect(await ok(as(user, 'get ecsmservice radar -o yaml'))).toContain('name: ADMIN_PIN');
      expect((await tool(user, 'get service radar -o yaml')).out).toMatch(/name: ADMIN_PIN\n +- name: TOTP_SEED/);
      expect((await tool(user, 'describe service radar --show-values')).err).toContain(
        '--show-values requires access to the files of the registry',
      );
    },
  );

  it.each(['edit', 'admin'])('sees all values as %s', async (user) => {
    const { out, err } = await as(user, 'get ecsmservice radar -o yaml');
    expect([out.includes('pin-4711-vsoa'), err]).toEqual([true, '']);
    expect((await tool(user, 'get service radar -o yaml')).out).toContain('pin-4711-vsoa');
    for (const line of ['describe service radar', 'annotate service radar --list', 'set env service/radar --list']) {
      expect((await tool(user, line)).out, line).not.toContain('4711');
    }
  });

  it('keeps what the user does not see, with kubectl apply, edit, patch, replace and server-side apply', async () => {
    await ok(as('writer', 'edit ecsmservice radar', '', editor('radar@1.0.0', 'radar@1.1.0')));
    expect(await stored()).toMatchObject({ image: 'radar@1.1.0#sylixos', ...values });
    await ok(as('writer', 'apply -f -', manifest('1.2.0', false)));
    expect(await stored()).toMatchObject({ image: 'radar@1.2.0#sylixos', ...values });
    const read = await ok(as('writer', 'get ecsmservice radar -o yaml'));
    await ok(as('writer', 'replace -f -', read.replaceAll('radar@1.2.0', 'radar@1.3.0')));
    expect(await stored()).toMatchObject({ image: 'radar@1.3.0#sylixos', ...values });
    await ok(as('writer', 'apply --server-side --force-conflicts -f -', manifest('1.4.0', false)));
    expect(await stored()).toMatchObject({ image: 'radar@1.4.0#sylixos', ...values });
    await ok(as('writer', `patch ecsmservice radar --type=merge -p '{"spec":{"template":{"image":"radar@1.5.0"}}}'`));
    expect(await stored()).toMatchObject({ image: 'radar@1.5.0', ...values });
    const diff = await as('writer', 'diff -f -', manifest('1.6.0', false));
    expect([diff.code, diff.out.includes('4711')]).toEqual([1, false]);
    expect(diff.out).toContain('radar@1.6.0');
  });

  it('keeps what the user does not see, with ecsmctl apply, edit, replace and set', async () => {
    await ok(tool('writer', 'edit service radar', '', editor('radar@1.0.0', 'radar@2.1.0')));
    expect(await stored()).toMatchObject({ image: 'radar@2.1.0#sylixos', ...values });
    await ok(tool('writer', 'apply --force-conflicts -f -', manifest('2.2.0', false)));
    expect(await stored()).toMatchObject({ image: 'radar@2.2.0#sylixos', ...values });
    const read = await ok(tool('writer', 'get service radar -o yaml'));
    await ok(tool('writer', 'replace -f -', read.replaceAll('radar@2.2.0', 'radar@2.3.0')));
    expect(await stored()).toMatchObject({ image: 'radar@2.3.0#sylixos', ...values });
    await ok(tool('writer', 'set env service/radar RATE=5'));
    expect((await stored()).env).toEqual([...values.env, { name: 'RATE', value: '5' }]);
    const diff = await tool('writer', 'diff -f -', manifest('2.4.0', false));
    expect([diff.code, diff.out.includes('4711')]).toEqual([1, false]);
  });

  it('refuses the placeholder, and an undo that would mix old templates with new values', async () => {
    const wrong = await as('writer', 'apply -f -', manifest('1.0.0').replaceAll('pin-4711-vsoa', '<hidden>'));
    expect([wrong.code, wrong.err.includes('spec.template.vsoa.password: Invalid value: "<hidden>"')]).toEqual([
      1,
      true,
    ]);
    const line = 'rollout undo service/radar --to-revision 1';
    await ok(admin('apply -f -', manifest('3.0.0').replaceAll('pin-4711', 'pin-0815')));
    const refused = await tool('writer', line);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('values of its revisions are hidden')]);
    await ok(tool('edit', line));
    expect(await stored()).toMatchObject({ image: 'radar@1.0.0#sylixos', ...values });
  });
});
