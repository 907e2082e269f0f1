/** Certificates of a cluster: which it has, which are due, and the credentials that the operator connects with. */
import type { EtcdCluster } from '../../apis/etcd-cluster.ts';
import type { EtcdCredentials } from '../../client/etcd/contract.ts';
import type { CertificateIssuer } from '../../resource/certificates.ts';
import { isKept, leafTemplates, type SecretsObserved, type SecretsRead, secretNames } from '../../resource/secrets.ts';
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
  readonly #issuer: CertificateIssuer;

  constructor(issuer: CertificateIssuer) {
    this.#issuer = issuer;
  }

  /** What follows from the Secrets of a cluster. */
  observed(cluster: EtcdCluster, read: SecretsRead, nowMs: number): SecurityObserved {
    switch (read.is) {
      case 'none':
        return { facts: undefined, credentials: undefined, trust: '', ...noSecrets };
      case 'automatic':
        return this.#automatic(cluster, read, nowMs);
      case 'provided':
        return this.#provided(cluster, read, nowMs);
    }
  }

  /** The material after a step. */
  after(cluster: EtcdCluster, material: TlsMaterial, step: TlsStep, nowMs: number): TlsMaterial {
    return afterStep(this.#issuer, material, step, leafTemplates(cluster), nowMs);
  }

  #automatic(
    cluster: EtcdCluster,
    { material: read, stored, foreign }: SecretsObserved,
    nowMs: number,
  ): SecurityObserved {
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
  #provided(
    cluster: EtcdCluster,
    { certificate, authority }: SecretsRead & { readonly is: 'provided' },
    nowMs: number,
  ): SecurityObserved {
    const { 'tls.crt': cert = '', 'tls.key': key = '' } = certificate ?? {};
    const ca = authority?.['ca.crt'] ?? '';
    const problem = this.#problem(cluster, certificate !== undefined, { cert, key, ca }, nowMs);
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

  #problem(
    cluster: EtcdCluster,
    exists: boolean,
    { cert, key, ca }: EtcdCredentials,
    nowMs: number,
  ): string | undefined {
    const { certificateSecret: name = '' } = cluster.spec.security.tls;
    if (!exists) return `the Secret ${name} does not exist`;
    if (ca === '') return `there is no ca.crt in the Secret ${cluster.spec.security.tls.caSecret ?? name}`;
    const info = this.#issuer.inspect(cert);
    if (info === undefined) return `tls.crt of ${name} is not a certificate`;
    if (!this.#issuer.isPair({ certificate: cert, key })) return `tls.key of ${name} does not belong to tls.crt`;
    if (!this.#issuer.isIssuedBy(cert, ca)) return `tls.crt of ${name} is not issued by ca.crt`;
    if (info.toMs <= nowMs) return `tls.crt of ${name} has expired`;
    const wanted = leafTemplates(cluster).peer?.names.filter((host) => host.startsWith('*')) ?? [];
    const absent = wanted.filter((host) => !info.names.includes(host));
    return absent.length === wanted.length && wanted.length > 0
      ? `tls.crt of ${name} is not for the members: it needs the name ${wanted[0]}`
      : undefined;
  }
}
