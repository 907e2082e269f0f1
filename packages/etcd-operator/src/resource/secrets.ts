/** The Secrets with the certificates of a cluster, as material and back. */
import { Secret } from '@ecsm/apiserver';
import { ApiError, type ObjectOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { names } from '../apis/well-known.ts';
import type { KubernetesClient } from '../client/kubernetes/client.ts';
import type { LeafTemplate, PemPair } from './certificates.ts';
import { mayChange, metadataOf, tlsOf } from './cluster.ts';
import type { AuthorityMaterial, LeafMaterial, LeafName, TlsMaterial } from './tls-material.ts';

const dayMs = 86_400_000;
const leafMs = 90 * dayMs;

type SecretData = Readonly<Record<string, string>>;

export interface SecretsObserved {
  readonly material: TlsMaterial;
  /** Secrets with names of the cluster that belong to something else, such as `Secret/main-ca`. */
  readonly foreign: readonly string[];
}

export class SecretManager {
  readonly #client: KubernetesClient;

  constructor(client: KubernetesClient) {
    this.#client = client;
  }

  /** Undefined if the Secret does not exist. Values are decoded. */
  async read(namespace: string, name: string): Promise<SecretData | undefined> {
    const secret = await this.#client.find(Secret, namespace, name);
    return secret && dataOf(secret);
  }

  async observe(cluster: EtcdCluster): Promise<SecretsObserved> {
    const { namespace = '', name } = cluster.metadata;
    const secrets = secretNames(cluster);
    const [authority, ...leaves] = await Promise.all(
      [names.caSecret(name), ...leafNames.map((leaf) => secrets[leaf])].map((secret) =>
        this.#client.find(Secret, namespace, secret),
      ),
    );
    const found = leafNames.flatMap((leaf, index) => {
      const secret = leaves[index];
      const read = secret && leafOf(dataOf(secret));
      return read ? [[leaf, read] as const] : [];
    });
    const current = authority && authorityOf(dataOf(authority));
    return {
      material: { ...(current ? { authority: current } : {}), leaves: Object.fromEntries(found) },
      foreign: [authority, ...leaves].flatMap((secret) =>
        secret && !mayChange(cluster, secret.metadata) ? [`Secret/${secret.metadata.name}`] : [],
      ),
    };
  }

  /** Writes what differs. The authority first: leaves of an authority that is not stored could not be checked. */
  async write(cluster: EtcdCluster, before: TlsMaterial, after: TlsMaterial): Promise<void> {
    const { authority } = after;
    if (authority && authority !== before.authority) {
      const name = names.caSecret(cluster.metadata.name);
      const secret = secretOf(cluster, name, 'Opaque', authorityData(authority));
      if (before.authority !== undefined || !(await this.#createAuthority(cluster, secret))) await this.#apply(secret);
    }
    const secrets = secretNames(cluster);
    for (const leaf of leafNames) {
      const material = after.leaves[leaf];
      if (material === undefined || material === before.leaves[leaf]) continue;
      const { certificate, key, trust } = material;
      const data = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': trust };
      await this.#apply(secretOf(cluster, secrets[leaf], 'kubernetes.io/tls', data));
    }
  }

  /**
   * Returns false if the Secret exists and has no authority. Throws `Conflict` if it has one: a read that did not see it was
   * stale, and members would not trust the certificates of another authority.
   */
  async #createAuthority({ metadata }: EtcdCluster, secret: SecretInput): Promise<boolean> {
    if (await this.#client.create(Secret, secret)) return true;
    const name = names.caSecret(metadata.name);
    const found = await this.read(metadata.namespace ?? '', name);
    if (found && authorityOf(found) === undefined) return false;
    throw new ApiError('Conflict', { kind: Secret.kind, name, reason: 'it exists, and was not seen before' });
  }

  async #apply(secret: SecretInput): Promise<void> {
    await this.#client.apply(Secret, secret);
  }
}

type SecretInput = ReturnType<typeof Secret.input>;

function secretOf(cluster: EtcdCluster, name: string, type: string, data: SecretData): SecretInput {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)]));
  return Secret.input(metadataOf(cluster, name), { type, data: encoded });
}

export const leafNames: readonly LeafName[] = ['server', 'peer', 'client'];

export function secretNames({ metadata: { name } }: EtcdCluster): Readonly<Record<LeafName, string>> {
  return { server: names.serverSecret(name), peer: names.peerSecret(name), client: names.clientSecret(name) };
}

/** The certificates that a cluster needs. */
export function leafTemplates(cluster: EtcdCluster): Readonly<Partial<Record<LeafName, LeafTemplate>>> {
  const { name, namespace = '' } = cluster.metadata;
  const domain = cluster.spec.clusterDomain;
  const tls = tlsOf(cluster);
  const both = (host: string) => [`${host}.${namespace}.svc`, `${host}.${namespace}.svc.${domain}`];
  const members = both(`*.${names.peerService(name)}`);
  const local = ['localhost', '127.0.0.1'];
  const server = [...members, ...both(names.peerService(name)), ...both(names.clientService(name)), ...local];
  return {
    ...(tls.client ? { server: leaf(`${name}-server`, 'peer', server) } : {}),
    // etcd compares the source address of a peer with these names; on one host it is the loopback address.
    ...(tls.peer ? { peer: leaf(`${name}-peer`, 'peer', [...members, ...local]) } : {}),
    ...(tls.client ? { client: leaf('root', 'client', []) } : {}),
  };
}

function leaf(commonName: string, use: LeafTemplate['use'], list: readonly string[]): LeafTemplate {
  return { commonName, use, names: list, validMs: leafMs };
}

function dataOf(secret: ObjectOf<typeof Secret>): SecretData {
  const { data = {} } = Secret.fieldsOf(secret);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
}

function authorityOf(data: SecretData): AuthorityMaterial | undefined {
  const current = pairOf(data, 'ca');
  if (current === undefined) return undefined;
  const next = pairOf(data, 'next');
  const { 'old.crt': old, 'switched-at': switchedAt } = data;
  return {
    current,
    ...(next ? { next } : {}),
    ...(old === undefined ? {} : { old }),
    ...(switchedAt === undefined ? {} : { switchedAtMs: Number(switchedAt) }),
  };
}

function authorityData({ current, next, old, switchedAtMs }: AuthorityMaterial): SecretData {
  return {
    'ca.crt': current.certificate,
    'ca.key': current.key,
    ...(next ? { 'next.crt': next.certificate, 'next.key': next.key } : {}),
    ...(old === undefined ? {} : { 'old.crt': old }),
    ...(switchedAtMs === undefined ? {} : { 'switched-at': String(switchedAtMs) }),
  };
}

function pairOf(data: SecretData, name: string): PemPair | undefined {
  const certificate = data[`${name}.crt`];
  const key = data[`${name}.key`];
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function leafOf(data: SecretData): LeafMaterial | undefined {
  const pair = pairOf(data, 'tls');
  const trust = data['ca.crt'];
  return pair && trust !== undefined ? { ...pair, trust } : undefined;
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
