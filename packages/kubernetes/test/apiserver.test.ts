/** The suite of registries over HTTPS, from our client to our own API server on a store in memory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, Certificates } from '@ecsm/apiserver';
import { EmbeddedRegistry, MemoryStore, systemClock } from '@ecsm/runtime';
import { type RegistryHarness, registryRules } from '../../runtime/src/registry/registry.suite.ts';
import { openKubernetesRegistry } from '../src/registry/open.ts';

const cleanups: (() => Promise<void>)[] = [];

const harness: RegistryHarness = {
  capabilities: [],
  async create({ kinds, clock }) {
    const directory = await mkdtemp(join(tmpdir(), 'ecsm-suite-'));
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    const common = { directory, names: ['127.0.0.1'], clock: systemClock };
    const stored = new EmbeddedRegistry({ store: new MemoryStore(), kinds, clock });
    // A watch after version 0 starts with the current state, as in Kubernetes, where no list has that version.
    await stored.store.commit([{ type: 'put', key: 'fences/suite', value: new TextEncoder().encode('0') }]);
    const certificates = new Certificates({ ...common, server: 'https://127.0.0.1:6443' });
    const certificateAuthority = join(directory, 'authority.pem');
    await writeFile(certificateAuthority, certificates.authorityPem);
    const server = new ApiServer({ registry: stored, credentials: certificates.server });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const registry = await openKubernetesRegistry(`https://127.0.0.1:${port}`, {
      kinds,
      env: {},
      certificateAuthority,
    });
    cleanups.push(async () => {
      await registry.close();
      await server.close();
      await stored.close();
    });
    return registry;
  },
  damage: undefined,
  async cleanup() {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  },
};

registryRules('registry on our API server', harness);
