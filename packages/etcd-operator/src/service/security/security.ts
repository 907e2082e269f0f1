/** Certificates of a cluster: which it has, which are due, and the credentials that the operator connects with. */
import type { Clock } from '@ecsm/runtime';
import type { EtcdCluster } from '../../apis/etcd-cluster.ts';
import type { EtcdCredentials } from '../../client/etcd/contract.ts';
import type { CertificateIssuer } from '../../resource/certificates.ts';
import { tlsOf } from '../../resource/cluster.ts';
import {
  isKept,
  leafTemplates,
  type SecretManager,
  type SecretsObserved,
  secretNames,
} from '../../resource/secrets.ts';
import {
  afterStep,
  dueLeaves,
  expiryOf,
  isAuthorityDue,
  isKeyLost,
  lostLeaves,
  type TlsMaterial,
  type TlsStep,
  trustOf,
  usable,
} from '../../resource/tls-material.ts';
import type { CertificateFacts } from '../model.ts';

export interface SecurityObserved {
  /** Undefined without TLS. */
  readonly facts: CertificateFacts | undefined;
  /** Undefined if clients connect without TLS, or there is no certificate yet. */
  readonly credentials: EtcdCredentials | undefined;
  /** The authorities that members trust; empty without TLS. */
  readonly trust: string;
  readonly material: TlsMaterial;
  readonly stored: SecretsObserved['stored'];
  /** Secrets with names of this cluster that belong to something else, such as `Secret/main-ca`. */
  readonly foreign: readonly string[];
}

const noSecrets = { material: { leaves: {} }, stored: undefined, foreign: [] };

export class SecurityService {
  readonly #secrets: SecretManager;
  readonly #issuer: CertificateIssuer;
  readonly #clock: Clock;

  constructor(secrets: SecretManager, issuer: CertificateIssuer, clock: Clock) {
    this.#secrets = secrets;
    this.#issuer = issuer;
    this.#clock = clock;
  }

  async observe(cluster: EtcdCluster): Promise<SecurityObserved> {
    const tls = tlsOf(cluster);
    const none = { facts: undefined, credentials: undefined, trust: '', ...noSecrets };
    if (!tls.client && !tls.peer) return none;
    return cluster.spec.security.tls.autoTLS ? this.#automatic(cluster) : this.#provided(cluster);
  }

  async perform(cluster: EtcdCluster, { material, stored }: SecurityObserved, step: TlsStep): Promise<void> {
    const after = afterStep(this.#issuer, material, step, leafTemplates(cluster), this.#clock.now());
    await this.#secrets.write(cluster, { material, stored }, after);
  }

  /** Before the last trace of a cluster goes: then Kubernetes can delete the Secret of its authority. */
  release(cluster: EtcdCluster): Promise<void> {
    return this.#secrets.release(cluster);
  }

  async #automatic(cluster: EtcdCluster): Promise<SecurityObserved> {
    const { material: read, stored, foreign } = await this.#secrets.observe(cluster);
    const nowMs = this.#clock.now();
    const material = usable(this.#issuer, read);
    const { authority, leaves } = material;
    const names = secretNames(cluster);
    const templates = leafTemplates(cluster);
    const due = dueLeaves(this.#issuer, material, templates, nowMs).map((leaf) => names[leaf]);
    const lost = lostLeaves(this.#issuer, material, templates, nowMs).map((leaf) => names[leaf]);
    const notAfterMs = expiryOf(this.#issuer, material);
    // Those of servers are for clients, too: a client's that is missing is no reason not to see the members.
    const own = leaves.client ?? leaves.server;
    const rotation = authority?.next ? 'Introduced' : authority?.old !== undefined ? 'Switched' : 'Steady';
    return {
      facts: {
        hasAuthority: authority !== undefined,
        isKeyLost: authority ? isKeyLost(authority) : Object.keys(leaves).length > 0,
        isAuthorityKept: stored !== undefined && isKept(stored),
        due,
        lost,
        isAuthorityDue: authority !== undefined && isAuthorityDue(this.#issuer, authority, nowMs),
        rotation,
        ...(authority?.introducedAtMs === undefined ? {} : { introducedAtMs: authority.introducedAtMs }),
        ...(authority?.switchedAtMs === undefined ? {} : { switchedAtMs: authority.switchedAtMs }),
        ...(notAfterMs === undefined ? {} : { notAfterMs }),
      },
      credentials: own && { ca: own.trust, cert: own.certificate, key: own.key },
      trust: authority ? trustOf(authority) : '',
      material,
      stored,
      foreign,
    };
  }

  /** Secrets of the user are checked and never changed. */
  async #provided(cluster: EtcdCluster): Promise<SecurityObserved> {
    const { namespace = '' } = cluster.metadata;
    const { certificateSecret = '', caSecret } = cluster.spec.security.tls;
    const data = await this.#secrets.read(namespace, certificateSecret);
    const authority = caSecret === undefined ? data : await this.#secrets.read(namespace, caSecret);
    const { 'tls.crt': cert = '', 'tls.key': key = '' } = data ?? {};
    const ca = authority?.['ca.crt'] ?? '';
    const problem = this.#problem(cluster, data === undefined ? certificateSecret : undefined, { cert, key, ca });
    const info = this.#issuer.inspect(cert);
    return {
      facts: {
        ...(problem === undefined ? {} : { problem }),
        hasAuthority: true,
        isKeyLost: false,
        isAuthorityKept: true,
        due: [],
        lost: [],
        isAuthorityDue: false,
        rotation: 'Steady',
        ...(info ? { notAfterMs: info.toMs } : {}),
      },
      credentials: { ca, cert, key },
      trust: ca,
      ...noSecrets,
    };
  }

  #problem(cluster: EtcdCluster, missing: string | undefined, { cert, key, ca }: EtcdCredentials): string | undefined {
    const { certificateSecret: name = '' } = cluster.spec.security.tls;
    if (missing !== undefined) return `the Secret ${missing} does not exist`;
    if (ca === '') return `there is no ca.crt in the Secret ${cluster.spec.security.tls.caSecret ?? name}`;
    const info = this.#issuer.inspect(cert);
    if (info === undefined) return `tls.crt of ${name} is not a certificate`;
    if (!this.#issuer.isPair({ certificate: cert, key })) return `tls.key of ${name} does not belong to tls.crt`;
    if (!this.#issuer.isIssuedBy(cert, ca)) return `tls.crt of ${name} is not issued by ca.crt`;
    if (info.toMs <= this.#clock.now()) return `tls.crt of ${name} has expired`;
    const wanted = leafTemplates(cluster).peer?.names.filter((host) => host.startsWith('*')) ?? [];
    const absent = wanted.filter((host) => !info.names.includes(host));
    return absent.length === wanted.length && wanted.length > 0
      ? `tls.crt of ${name} is not for the members: it needs the name ${wanted[0]}`
      : undefined;
  }
}
