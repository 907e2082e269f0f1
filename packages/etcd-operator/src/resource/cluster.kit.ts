/** Clusters in a registry in memory, and certificates without cryptography, for tests of what manages their objects. */
import { type Clock, EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { EtcdBackup } from '../apis/etcd-backup.ts';
import { EtcdCluster, type EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { type CertificateInfo, type CertificateIssuer, certificatesIn, type PemPair } from './certificates.ts';
import { managedKinds } from './managers.ts';

export function memoryRegistry(clock: Clock = new VirtualClock()): EmbeddedRegistry {
  return new EmbeddedRegistry({
    store: new MemoryStore(),
    kinds: [EtcdCluster, EtcdBackup, EtcdRestore, ...managedKinds],
    clock,
  });
}

interface ClusterOptions {
  readonly name?: string;
  readonly registry?: EmbeddedRegistry;
  readonly metadata?: Omit<EtcdClusterInput['metadata'], 'name'>;
}

/** A cluster as a registry returns it, in the namespace `default`. */
export function createCluster(spec: EtcdClusterInput['spec'] = {}, options: ClusterOptions = {}): Promise<EtcdCluster> {
  const { name = 'main', registry = memoryRegistry(), metadata = {} } = options;
  return registry.resource(EtcdCluster).create({ metadata: { ...metadata, name }, spec });
}

/** Of an authority of the toy issuer. */
const authorityMs = 1_000 * 86_400_000;

export const withoutTls = { security: { tls: { enabled: false } } } as const;

interface ToyCertificate extends CertificateInfo {
  readonly id: number;
  readonly issuer: number;
}

/** Certificates are their fields, in the form of PEM. No other program checks them. */
export class ToyIssuer implements CertificateIssuer {
  /** Names of what was issued, in order. */
  readonly issued: string[] = [];
  readonly #clock: Clock;
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  createAuthority(): PemPair {
    this.issued.push('authority');
    const id = ++this.#ids;
    return this.#create({ id, issuer: id, names: [] }, authorityMs);
  }

  issue(authority: PemPair, { commonName, names, validMs }: Parameters<CertificateIssuer['issue']>[1]): PemPair {
    this.issued.push(commonName);
    const issuer = read(authority.certificate)?.id ?? 0;
    return this.#create({ id: ++this.#ids, issuer, names: [...names].sort() }, validMs);
  }

  inspect(certificate: string): CertificateInfo | undefined {
    return read(certificate);
  }

  isPair({ certificate, key }: PemPair): boolean {
    return key === `key of ${read(certificate)?.id}`;
  }

  isIssuedBy(certificate: string, authority: string): boolean {
    const issuer = read(certificate)?.issuer;
    return issuer !== undefined && certificatesIn(authority).some((one) => read(one)?.id === issuer);
  }

  #create(own: Omit<ToyCertificate, 'fromMs' | 'toMs'>, validMs: number): PemPair {
    const fromMs = this.#clock.now();
    const fields: ToyCertificate = { ...own, fromMs, toMs: fromMs + validMs };
    const text = `-----BEGIN CERTIFICATE-----\n${JSON.stringify(fields)}\n-----END CERTIFICATE-----\n`;
    return { certificate: text, key: `key of ${own.id}` };
  }
}

function read(pem: string): ToyCertificate | undefined {
  const text = /^\{.*\}$/mu.exec(pem)?.[0];
  return text === undefined ? undefined : JSON.parse(text);
}
