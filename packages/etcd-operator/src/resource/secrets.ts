/** The Secrets with the certificates of a cluster, as material and back. That of the authority has a finalizer. */
import { Secret } from '@ecsm/apiserver';
import { ApiError, type ObjectOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { FINALIZER, names } from '../apis/well-known.ts';
import type { KubernetesClient } from '../client/kubernetes/client.ts';
import type { LeafTemplate, PemPair } from './certificates.ts';
import { mayChange, metadataOf, tlsOf } from './cluster.ts';
import type { AuthorityMaterial, LeafMaterial, LeafName, TlsMaterial } from './tls-material.ts';

const dayMs = 86_400_000;
const leafMs = 90 * dayMs;

type SecretData = Readonly<Record<string, string>>;

export interface SecretsObserved {
  readonly material: TlsMaterial;
  /** The Secret of the authority; undefined if it does not exist. */
  readonly stored: AuthoritySecret | undefined;
  /** Secrets with names of the cluster that belong to something else, such as `Secret/main-ca`. */
  readonly foreign: readonly string[];
}

/** What was read of the Secrets of a cluster. `provided`: undefined if the Secret does not exist; values are decoded. */
export type SecretsRead =
  | { readonly is: 'none' }
  | ({ readonly is: 'automatic' } & SecretsObserved)
  | {
      readonly is: 'provided';
      readonly certificate: SecretData | undefined;
      readonly authority: SecretData | undefined;
    };

type AuthoritySecret = ObjectOf<typeof Secret>;

/**
 * Whether the Secret of the authority has the finalizer that keeps it as long as the cluster, and is not being deleted. The
 * key of an authority cannot be recovered.
 */
export function isKept({ metadata }: AuthoritySecret): boolean {
  return metadata.deletionTimestamp === undefined && metadata.finalizers?.includes(FINALIZER) === true;
}

export class SecretManager {
  readonly #client: KubernetesClient;

  constructor(client: KubernetesClient) {
    this.#client = client;
  }

  /** The Secrets that TLS of the cluster needs: those of the operator, or those of the user. */
  async read(cluster: EtcdCluster): Promise<SecretsRead> {
    const { client, peer } = tlsOf(cluster);
    if (!client && !peer) return { is: 'none' };
    const { autoTLS, certificateSecret = '', caSecret } = cluster.spec.security.tls;
    if (autoTLS) return { is: 'automatic', ...(await this.observe(cluster)) };
    const { namespace = '' } = cluster.metadata;
    const certificate = await this.#find(namespace, certificateSecret);
    return {
      is: 'provided',
      certificate,
      authority: caSecret === undefined ? certificate : await this.#find(namespace, caSecret),
    };
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
      stored: authority,
      foreign: [authority, ...leaves].flatMap((secret) =>
        secret && !mayChange(cluster, secret.metadata) ? [`Secret/${secret.metadata.name}`] : [],
      ),
    };
  }

  async #find(namespace: string, name: string): Promise<SecretData | undefined> {
    const secret = await this.#client.find(Secret, namespace, name);
    return secret && dataOf(secret);
  }

  /** Writes what differs. The authority first: leaves of an authority that is not stored could not be checked. */
  async write(cluster: EtcdCluster, before: Omit<SecretsObserved, 'foreign'>, after: TlsMaterial): Promise<void> {
    const { authority } = after;
    if (authority && authority !== before.material.authority) {
      await this.#writeAuthority(cluster, before.stored, authorityData(authority));
    }
    const secrets = secretNames(cluster);
    for (const leaf of leafNames) {
      const material = after.leaves[leaf];
      if (material === undefined || material === before.material.leaves[leaf]) continue;
      const { certificate, key, trust } = material;
      const data = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': trust };
      await this.#client.apply(Secret, secretOf(cluster, secrets[leaf], 'kubernetes.io/tls', data));
    }
  }

  /** Lets the Secret of the authority go, when the cluster is deleted. */
  async release(cluster: EtcdCluster): Promise<void> {
    const { name, namespace = '' } = cluster.metadata;
    const stored = await this.#client.find(Secret, namespace, names.caSecret(name));
    if (stored && mayChange(cluster, stored.metadata)) await this.#removeFinalizer(stored);
  }

  /**
   * Only over the Secret that was read. Throws `Conflict` if there is another one now: a read that did not see it was stale,
   * or a user has restored it, and its key would be lost. One that is being deleted is created again.
   */
  async #writeAuthority(cluster: EtcdCluster, stored: AuthoritySecret | undefined, data: SecretData): Promise<void> {
    const name = names.caSecret(cluster.metadata.name);
    const wanted = secretOf(cluster, name, 'Opaque', data);
    const isLeaving = stored?.metadata.deletionTimestamp !== undefined;
    if (stored && isLeaving) await this.#removeFinalizer(stored);
    if (stored === undefined || isLeaving) {
      const metadata = { ...wanted.metadata, finalizers: [FINALIZER] };
      if (await this.#client.create(Secret, { ...wanted, metadata })) return;
      throw new ApiError('Conflict', { kind: Secret.kind, name, reason: 'it exists, and was not seen before' });
    }
    const { namespace = '', uid, resourceVersion, finalizers = [], ownerReferences = [] } = stored.metadata;
    const { labels, ownerReferences: own } = metadataOf(cluster, name);
    const others = ownerReferences.filter((owner) => own.every(({ uid }) => uid !== owner.uid));
    const absent = Object.keys(Secret.fieldsOf(stored).data ?? {}).map((key) => [key, null] as const);
    const patch = {
      metadata: {
        labels: { ...labels },
        ownerReferences: [...others, ...own].map((owner) => ({ ...owner })),
        finalizers: [...new Set([...finalizers, FINALIZER])],
      },
      data: { ...Object.fromEntries(absent), ...encoded(data) },
    };
    await this.#client.patch(Secret, namespace, name, patch, { uid, resourceVersion });
  }

  async #removeFinalizer({ metadata }: AuthoritySecret): Promise<void> {
    const { name, namespace = '', uid, resourceVersion, finalizers = [] } = metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
    const patch = { metadata: { finalizers: others.length === 0 ? null : others } };
    await this.#client.patch(Secret, namespace, name, patch, { uid, resourceVersion });
  }
}

type SecretInput = ReturnType<typeof Secret.input>;

function secretOf(cluster: EtcdCluster, name: string, type: string, data: SecretData): SecretInput {
  return Secret.input(metadataOf(cluster, name), { type, data: encoded(data) });
}

function encoded(data: SecretData): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)]));
}

const leafNames: readonly LeafName[] = ['server', 'peer', 'client'];

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

/** Undefined without a certificate. The key may be missing: the material says what can be used. */
function authorityOf(data: SecretData): AuthorityMaterial | undefined {
  const { 'ca.crt': certificate = '', 'ca.key': key = '', 'old.crt': old } = data;
  if (certificate === '') return undefined;
  const next = pairOf(data, 'next');
  return {
    current: { certificate, key },
    ...(next ? { next } : {}),
    ...timeOf('introducedAtMs', data['introduced-at']),
    ...(old === undefined ? {} : { old }),
    ...timeOf('switchedAtMs', data['switched-at']),
  };
}

/** Nothing without a time in milliseconds, so that a damaged one does not stop a change for ever. */
function timeOf<Name extends string>(name: Name, text = ''): Partial<Record<Name, number>> {
  if (!/^\d{1,15}$/u.test(text)) return {};
  const time: Partial<Record<Name, number>> = {};
  time[name] = Number(text);
  return time;
}

function authorityData({ current, next, introducedAtMs, old, switchedAtMs }: AuthorityMaterial): SecretData {
  return {
    'ca.crt': current.certificate,
    ...(current.key === '' ? {} : { 'ca.key': current.key }),
    ...(next ? { 'next.crt': next.certificate, 'next.key': next.key } : {}),
    ...(introducedAtMs === undefined ? {} : { 'introduced-at': String(introducedAtMs) }),
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
