import { existsSync } from 'node:fs';
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

  const billion = `a0: &a0 hidden-word\n${Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]\n`).join('')}`;
  const broken: readonly [what: string, text: string, code: string, message: RegExp][] = [
    ['broken YAML', 'a: b\nusers:\n- name: "x\n  token: hidden-word', 'Malformed', /config:\d+:\d+: not valid YAML/],
    ['another type', 'users: hidden-word', 'BadRequest', /the kubeconfig\.users should be a list/],
    ['a list', '- hidden-word', 'Malformed', /config:1:\d+: not valid YAML, or not an object/],
    ['an unknown alias', 'users: *hidden-word', 'Malformed', /config:1:\d+: not valid YAML/],
    ['a duplicate key', 'hidden-word: 1\nhidden-word: 2', 'Malformed', /config:2:1: not valid YAML/],
    ['two documents', 'a: hidden-word\n---\nb: hidden-word', 'BadRequest', /more than one YAML document/],
    ['a million brackets', '['.repeat(1 << 20), 'Malformed', /config:1:\d+: not valid YAML/],
    ['aliases that multiply', billion, 'Malformed', /not valid YAML/],
    ['more than 600,000 tokens', `a: [${'1,'.repeat(400_000)}`, 'Malformed', /not valid YAML/],
    ['more than 8 MiB', `a: ${'hidden-word'.repeat(800_000)}`, 'TooLarge', /over the limit of 8388608/],
  ];
  it.each(broken)('with %s are refused, and no value is shown', async (_, text, code, message) => {
    const directory = await files({ config: text });
    const error = await failure(loadKubeconfig({ env: { KUBECONFIG: join(directory, 'config') } }));
    expect(error).toEqual({ code, message: expect.stringMatching(message) });
    expect(error.message).not.toContain('hidden-word');
  });

  it('with many entries are read in a time that grows with their number (it grew with its square)', async () => {
    const count = 20_000;
    const clusters = Array.from({ length: count }, (_, n) => `  key${n}: value`).join('\n');
    const directory = await files({ config: `current-context: one\nextensions:\n${clusters}\n` });
    const config = await loadKubeconfig({ env: {}, kubeconfig: join(directory, 'config') });
    expect(config.currentContext).toBe('one');
  });

  it('without an end are not read to the end', { skip: !existsSync('/dev/zero') }, async () => {
    const error = await failure(loadKubeconfig({ env: {}, kubeconfig: '/dev/zero' }));
    expect(error.code).toBe('TooLarge');
  });

  it('that are named explicitly must exist and be files', async () => {
    const directory = await files({});
    const open = (kubeconfig: string) => failure(loadKubeconfig({ env: {}, kubeconfig }));
    expect((await open(join(directory, 'none'))).message).toMatch(/the kubeconfig .*none cannot be read: ENOENT/);
    expect((await open(directory)).message).toContain('cannot be read: EISDIR');
  });
});
