/** An API server of ours, on a registry in memory, for the etcd operator as a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type AuditRecord, Certificates, Namespace, Secret } from '@ecsm/apiserver';
import { type EtcdCredentials, operatorKinds, wellKnown } from '@ecsm/etcd-operator';
import { processNodeKinds } from '@ecsm/process-node';
import { EmbeddedRegistry, MemoryStore, systemClock } from '@ecsm/runtime';

export interface EtcdWorld {
  readonly registry: EmbeddedRegistry;
  /** A file. */
  readonly kubeconfig: string;
  /** Of clients of a cluster. */
  credentials(cluster: string): Promise<EtcdCredentials>;
  close(): Promise<void>;
}

export async function startEtcdWorld(onEnd?: (record: AuditRecord) => void): Promise<EtcdWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-bench-'));
  const kinds = new Map([...operatorKinds, ...processNodeKinds, Namespace].map((kind) => [kind.kind, kind]));
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [...kinds.values()] });
  const certificates = new Certificates({
    directory: join(directory, 'certificates'),
    names: ['127.0.0.1'],
    clock: systemClock,
    server: 'https://127.0.0.1',
  });
  const api = new ApiServer({ registry, credentials: certificates.server, ...(onEnd ? { onEnd } : {}) });
  const { port } = await api.listen({ host: '127.0.0.1', port: 0 });
  const end = new AbortController();
  const collected = registry.capabilities.garbage?.collect({ signal: end.signal });
  const kubeconfig = join(directory, 'kubeconfig');
  const authority = Buffer.from(certificates.authorityPem).toString('base64');
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': authority };
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(file), { mode: 0o600 });
  return {
    registry,
    kubeconfig,
    async credentials(name) {
      const secret = await registry.resource(Secret).get(wellKnown.names.clientSecret(name));
      const { data = {} } = Secret.fieldsOf(secret);
      const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
      return { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') };
    },
    async close() {
      await api.close();
      end.abort();
      await collected;
      await registry.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
