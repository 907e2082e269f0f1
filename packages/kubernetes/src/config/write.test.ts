import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { failure, files, oneContext, removeDirectories } from './config.kit.ts';
import { loadKubeconfig } from './load.ts';
import { setContext, useContext } from './write.ts';

afterEach(removeDirectories);

describe('use-context', () => {
  it('changes the first file and keeps unknown fields and the mode', async () => {
    const directory = await files({
      first: { ...oneContext(), preferences: { colors: true }, extensions: [{ name: 'x', extension: { a: 1 } }] },
      second: oneContext({}, 'two'),
    });
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    await writeFile(first, await readFile(first), { mode: 0o644 });
    const source = { env: { KUBECONFIG: `${first}:${second}` } };
    expect(await useContext(source, 'two')).toBe(first);
    expect((await loadKubeconfig(source)).currentContext).toBe('two');
    expect(parse(await readFile(first, 'utf8'))).toMatchObject({
      preferences: { colors: true },
      extensions: [{ name: 'x', extension: { a: 1 } }],
      users: [{ name: 'one', user: { token: 'secret-token' } }],
    });
    expect((await stat(first)).mode & 0o777).toBe(0o644);
  });

  it('refuses a context that does not exist', async () => {
    const directory = await files({ config: oneContext() });
    const source = { env: {}, kubeconfig: join(directory, 'config') };
    expect((await failure(useContext(source, 'onee'))).message).toContain('did you mean "one"?');
  });

  it('writes through a symbolic link, and not while another program does', async () => {
    const directory = await files({ real: oneContext({}, 'two') });
    const link = join(directory, 'link');
    await symlink(join(directory, 'real'), link);
    await useContext({ env: {}, kubeconfig: link }, 'two');
    expect(parse(await readFile(join(directory, 'real'), 'utf8'))).toMatchObject({ 'current-context': 'two' });
    await writeFile(`${link}.lock`, '');
    expect(await failure(useContext({ env: {}, kubeconfig: link }, 'two'))).toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('.lock'),
    });
  });
});

describe('a new context', () => {
  const entries = {
    name: 'site-7',
    context: { cluster: 'site-7', user: 'me', namespace: 'x' },
    cluster: { name: 'site-7', fields: { server: 'https://site-7:6443' } },
    user: { name: 'me', fields: { token: 'new-token' } },
  };

  it('is added to the first file, and its entries are replaced where they are', async () => {
    const directory = await files({ first: oneContext(), second: oneContext({}, 'me') });
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    const source = { env: { KUBECONFIG: `${first}:${second}` } };
    expect(await setContext(source, entries)).toBe(first);
    const config = await loadKubeconfig(source);
    expect(config.contexts.get('site-7')?.fields).toEqual(entries.context);
    expect(config.users.get('me')).toMatchObject({ fields: { token: 'new-token' }, file: second });
    expect(config.contexts.get('one')?.file).toBe(first);
    await setContext(source, { name: 'site-7', context: { cluster: 'one' } });
    expect((await loadKubeconfig(source)).contexts.get('site-7')?.fields).toEqual({ cluster: 'one' });
  });

  it('creates the file, which only its owner can read', async () => {
    const directory = await files({});
    const path = await setContext({ env: { HOME: directory } }, entries);
    expect(path).toBe(join(directory, '.kube', 'config'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const explicit = join(directory, 'new');
    expect(await setContext({ env: {}, kubeconfig: explicit }, entries)).toBe(explicit);
    expect((await loadKubeconfig({ env: {}, kubeconfig: explicit })).contexts.has('site-7')).toBe(true);
    expect((await failure(setContext({ env: {} }, entries))).message).toContain('set HOME');
  });
});
