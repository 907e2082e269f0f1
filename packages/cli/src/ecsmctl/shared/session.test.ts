import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, Failure, type Files, nodeFiles } from '@ecsm/command-line';
import { testTerminal } from '@ecsm/command-line/testing';
import { describe, expect, it } from 'vitest';
import { type RegistryKit, registryKit, usedByOperator } from './registry.kit.ts';
import { withSession } from './session.ts';

const absent = registryKit();
const present = registryKit();
const filed = registryKit('file');

function callOf({ url, directory }: RegistryKit) {
  const test = testTerminal({ nodeFiles: nodeFiles({ here: directory, home: directory }) });
  const flag = (name: string) => (name === 'registry' ? url : undefined);
  const call: Call = {
    terminal: test.terminal,
    words: [],
    rest: [],
    flag,
    flags: (name) => [flag(name)].filter((text) => text !== undefined),
    origin: (name) => (name === 'registry' ? '--registry' : undefined),
  };
  return { test, call };
}

const registryCallOf = (kit: RegistryKit) => callOf(kit).call;

/** The real files, and a config file in the working directory. */
function registryKitFiles(config: string): Files {
  const real = nodeFiles({ here: present.directory, home: present.directory });
  return { ...real, read: async (path) => (path === '.ecsmctl.yaml' ? Buffer.from(config) : real.read(path)) };
}

describe('a session', () => {
  it('that only reads creates no registry, and names the command that does', async () => {
    const { code, err, out } = await absent.run('get services');
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `ecsmctl: there is no registry at ${absent.url} yet: "ecsmctl apply" creates one\n`,
    });
    expect(existsSync(join(absent.directory, 'registry'))).toBe(false);
  });

  it('that only reads creates none in a directory with other files', async () => {
    mkdirSync(join(absent.directory, 'other'));
    const { code } = await absent.run(`get services --registry sqlite:${join(absent.directory, 'other')}`);
    expect(code).toBe(1);
    expect(existsSync(join(absent.directory, 'other', 'registry.db'))).toBe(false);
  });

  it('that writes creates the registry', async () => {
    const { call: made, test } = callOf(present);
    expect(await withSession(made, async ({ store }) => store().revision(), { missing: 'create' })).toBe(0);
    expect(existsSync(join(present.directory, 'registry', 'registry.db'))).toBe(true);
    expect(test.err.text).toBe(`created the registry ${present.url}\n`);
    await usedByOperator(await present.open());
  });

  it('accepts the directory of a file registry, and warns about rejected files', async () => {
    const directory = join(filed.directory, 'registry', 'ecsm.sh', 'v1', 'ecsmservices', 'default');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'broken.yaml'), 'kind: [');
    const { code, out, err } = await filed.run('get services');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(
      /^warning: .*broken\.yaml.*\nNo resources found in default namespace\.\nwarning: no operator has ever/,
    );
  });

  it('warns about a registry with an incomplete transfer', async () => {
    const registry = await present.open();
    const value = Buffer.from(
      JSON.stringify({ transfer: 'restore', source: 'a.backup', started: '2026-01-01T00:00:00Z', objects: 3 }),
    );
    await registry.store.commit([{ type: 'put', key: 'transfers/incomplete', value }]);
    const { err } = await present.run('get services');
    await registry.store.commit([{ type: 'delete', key: 'transfers/incomplete' }]);
    expect(err).toContain(
      `warning: the registry ${present.url} is incomplete: a restore of a.backup, started 2026-01-01T00:00:00Z, did not finish; repeat it, or clear the registry\n`,
    );
  });

  it.each([
    [
      '--registry redis:x',
      '--registry: registry URL "redis:x": it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
    ],
    ['--registry sqlite:', '--registry: registry URL "sqlite:": it has no directory'],
    ['-n Orbit', '--namespace: "Orbit" is not a valid namespace: use a-z, 0-9 and "-", at most 63 characters'],
  ])('refuses %s', async (flags, message) => {
    const { code, err } = await present.run(`get services ${flags}`);
    expect({ code, err }).toEqual({ code: 2, err: `ecsmctl: ${message}\nTry: ecsmctl get --help\n` });
  });

  it('takes flags before the environment, the environment before the config file, and that before the default', async () => {
    const here = registryKitFiles('namespace: from-file\n');
    const space = async (flags: string, env = {}) =>
      (await present.run(`get services ${flags}`, { env, nodeFiles: here })).err;
    expect(await space('')).toBe('No resources found in from-file namespace.\n');
    expect(await space('', { ECSM_NAMESPACE: 'from-env' })).toBe('No resources found in from-env namespace.\n');
    expect(await space('-n said', { ECSM_NAMESPACE: 'from-env' })).toBe('No resources found in said namespace.\n');
    expect((await present.run('get services')).err).toBe('No resources found in default namespace.\n');
  });

  it('never shows a password of the URL', async () => {
    const { code, err } = await present.run('get services -v --registry etcd://root:hunter2@127.0.0.1:1/x');
    expect(code).toBe(1);
    expect(err).toContain('etcd://root:…@127.0.0.1:1/x');
    expect(err).not.toContain('hunter2');
  });

  it('closes the registry when the work fails', async () => {
    let closed = '';
    const failed = withSession(registryCallOf(present), async (session) => {
      const store = session.store();
      closed = 'no';
      const close = store.close.bind(store);
      store.close = async () => {
        closed = 'yes';
        await close();
      };
      throw new Failure('it did not work');
    });
    await expect(failed).rejects.toThrow('it did not work');
    expect(closed).toBe('yes');
  });

  it('that only reads is abandoned immediately at Ctrl-C', async () => {
    const { test, call } = callOf(present);
    const work = withSession(call, () => new Promise<never>(() => test.interrupt()));
    await expect(work).rejects.toThrow('interrupted by SIGINT');
  });
});
