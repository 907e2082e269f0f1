import { join } from 'node:path';
import { Region, Widget } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { authority } from '../config/certificates.kit.ts';
import { base64, failure, files, oneContext, removeDirectories } from '../config/config.kit.ts';
import { answer, cleanUp, scriptedServer } from '../rest/server.kit.ts';
import { openKubernetesRegistry } from './open.ts';
import { scriptedRegistry, widget } from './widget.kit.ts';

afterEach(async () => {
  await cleanUp();
  await removeDirectories();
});

describe('a registry on a Kubernetes server', () => {
  it('is opened by a URL', async () => {
    const { url, received } = await scriptedServer((_, response) => answer(response, 200, widget('a', 7)));
    const cluster = { server: url, 'certificate-authority-data': base64(authority) };
    const directory = await files({ config: oneContext({ cluster, context: { namespace: 'site' } }) });
    const env = { KUBECONFIG: join(directory, 'config') };
    const registry = await openKubernetesRegistry('kubernetes:one', { kinds: [Widget], env });
    expect(registry.namespace).toBe('site');
    expect((await registry.resource(Widget).get('a')).metadata.name).toBe('a');
    expect(received[0]?.headers.authorization).toBe('Bearer secret-token');
    expect(() => registry.resource(Region)).toThrow('opened without the kind Region');
    await registry.close();
    expect((await failure(registry.resource(Widget).get('a'))).code).toBe('Closed');
  });

  it('has no capability, and no fence to check', async () => {
    const { registry } = await scriptedRegistry((_, response) => answer(response, 200, {}));
    expect(Object.values(registry.capabilities).filter((capability) => capability !== undefined)).toEqual([]);
    await registry.checkFence();
    expect(registry.locate('example.io/v1/widgets/default/a')).toEqual({
      kind: Widget,
      namespace: 'default',
      name: 'a',
    });
  });

  it('orders versions as numbers of any length', async () => {
    const { registry } = await scriptedRegistry((_, response) => answer(response, 200, {}));
    expect(registry.isNewer('10', '9')).toBe(true);
    expect(registry.isNewer('9', '10')).toBe(false);
    expect(registry.isNewer('10', '10')).toBe(false);
    expect(registry.isNewer('340282366920938463463374607431768211456', '340282366920938463463374607431768211455')).toBe(
      true,
    );
    expect(registry.isNewer('1', '0')).toBe(true);
  });
});
