import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { failure, files, oneContext, removeDirectories } from './config.kit.ts';
import { kubeconfigPaths, loadKubeconfig } from './load.ts';

afterEach(removeDirectories);

describe('kubeconfig files', () => {
  it('are those of KUBECONFIG, or the one in the home directory, or an explicit one', () => {
    const env = { HOME: '/home/me', KUBECONFIG: '/a::/b:/a' };
    expect(kubeconfigPaths({ env })).toEqual(['/a', '/b']);
    expect(kubeconfigPaths({ env: { HOME: '/home/me' } })).toEqual(['/home/me/.kube/config']);
    expect(kubeconfigPaths({ env, kubeconfig: '/c' })).toEqual(['/c']);
    expect(kubeconfigPaths({ env: {} })).toEqual([]);
  });

  it('are merged: the first one that has an entry decides, and missing ones are skipped', async () => {
    const directory = await files({
      first: oneContext({ cluster: { server: 'https://first' } }),
      second: {
        ...oneContext({ cluster: { server: 'https://second' } }, 'two'),
        clusters: [
          { name: 'one', cluster: { server: 'https://ignored' } },
          { name: 'two', cluster: { server: 'https://second' } },
        ],
      },
    });
    const paths = ['none', 'first', 'second'].map((name) => join(directory, name));
    const config = await loadKubeconfig({ env: { KUBECONFIG: paths.join(':') } });
    expect(config.files).toEqual(paths.slice(1));
    expect(config.currentContext).toBe('one');
    expect([...config.contexts.keys()]).toEqual(['one', 'two']);
    expect([...config.clusters.values()].map(({ fields }) => fields.server)).toEqual([
      'https://first',
      'https://second',
    ]);
  });

  it('may be empty', async () => {
    const directory = await files({ config: '' });
    const config = await loadKubeconfig({ env: {}, kubeconfig: join(directory, 'config') });
    expect([config.currentContext, config.contexts.size]).toEqual([undefined, 0]);
  });

  const broken: readonly [what: string, text: string, code: string, message: RegExp][] = [
    ['broken YAML', 'a: b\nusers:\n- name: "x\n  token: hidden-word', 'Malformed', /config:\d+:\d+: not valid YAML/],
    ['another type', 'users: hidden-word', 'BadRequest', /the kubeconfig\.users should be a list/],
    ['a list', '- hidden-word', 'BadRequest', /the kubeconfig should be an object, but is a list/],
    ['an unknown alias', 'users: *hidden', 'BadRequest', /an alias refers to no anchor/],
  ];
  it.each(broken)('with %s are refused, and no value is shown', async (_, text, code, message) => {
    const directory = await files({ config: text });
    const error = await failure(loadKubeconfig({ env: { KUBECONFIG: join(directory, 'config') } }));
    expect(error).toEqual({ code, message: expect.stringMatching(message) });
    expect(error.message).not.toContain('hidden-word');
  });

  it('that are named explicitly must exist and be files', async () => {
    const directory = await files({});
    const open = (kubeconfig: string) => failure(loadKubeconfig({ env: {}, kubeconfig }));
    expect((await open(join(directory, 'none'))).message).toMatch(/the kubeconfig .*none cannot be read: ENOENT/);
    expect((await open(directory)).message).toContain('cannot be read: EISDIR');
  });
});
