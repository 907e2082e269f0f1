/**
 * The certificates of a server in one directory, private to its user: the authority (`ca.pem` with its key, `ca.crt` to
 * give to clients), the server's key and certificate (`server.pem`), those of the administrator (`admin.pem`) and a
 * kubeconfig with them (`admin.kubeconfig`). Everything missing is created, and what expires is renewed in time. A file
 * that is damaged or not ours is an error and stays as it is.
 */
import { join } from 'node:path';
import { type Clock, type Log, silentLog, timestampAt } from '@ecsm/runtime';
import { type Authority, openAuthority } from './authority.ts';
import { createPrivateDirectory, createPrivateFile, readPrivateFile, replacePrivateFile } from './files.ts';
import { damaged, formatKeyPair, type KeyPair, readKeyPair } from './key-pair.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { addressBytes, serverNames } from './names.ts';
import { validityOf } from './read.ts';
import type { CertificateTemplate } from './x509.ts';

export interface CertificatesOptions {
  /** Created with mode 0700 if it does not exist. */
  readonly directory: string;
  /** DNS names and IP addresses by which clients reach the server. */
  readonly names: readonly string[];
  /** The URL in the administrator's kubeconfig. */
  readonly server: string;
  readonly clock: Clock;
  readonly log?: Log;
}

/** What `https.createServer` and `server.setSecureContext` need. All of it is PEM. */
export interface ServerCredentials {
  readonly key: string;
  readonly cert: string;
  /** The authority of client certificates. */
  readonly ca: string;
}

export interface ClientCredentials {
  readonly key: string;
  readonly cert: string;
}

const yearMs = 365 * 86_400_000;
/** The first line of a kubeconfig that may be replaced. */
const mark = '# Written by the API server, and replaced when its certificate is renewed: copy it before you edit it.\n';

export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #names: readonly string[];
  readonly #log: Log;
  readonly #authority: Authority;
  #server: KeyPair;

  /** Reads or creates everything. Throws `Corrupt` for a damaged file, `ReadOnly` and `StorageFull` as the disk does. */
  constructor(options: CertificatesOptions) {
    this.#options = options;
    this.#names = serverNames(options.names);
    this.#log = options.log ?? silentLog;
    if (createPrivateDirectory(options.directory)) {
      this.#log.write('warn', 'other users of this machine can access the directory of the certificates', {
        path: options.directory,
        fix: `chmod go= ${JSON.stringify(options.directory)}`,
      });
    }
    this.#authority = openAuthority(this.#path('ca.pem'), options.clock);
    this.#publish('ca.crt', this.#authority.certificatePem);
    this.#server = this.#serverPair();
    this.#renewAdmin();
  }

  get adminKubeconfig(): string {
    return this.#path('admin.kubeconfig');
  }

  get authorityPem(): string {
    return this.#authority.certificatePem;
  }

  get server(): ServerCredentials {
    const { keyPem, certificatePem } = this.#server;
    return { key: keyPem, cert: certificatePem, ca: this.authorityPem };
  }

  /**
   * Renews what has less than a third of its time left, and returns the server's credentials if they are new. A server
   * calls it every few hours.
   */
  renew(): ServerCredentials | undefined {
    this.#renewAdmin();
    if (this.#hasTime(this.#server)) return undefined;
    this.#server = this.#serverPair();
    return this.server;
  }

  /** A new client certificate. It cannot be revoked: prefer a short time, or a token. */
  issueClient(user: string, groups: readonly string[], validMs: number): ClientCredentials {
    const subject = { commonName: user, organizations: groups };
    const { keyPem, certificatePem } = this.#authority.issue({ subject, use: 'client' }, validMs);
    return { key: keyPem, cert: certificatePem };
  }

  #serverPair(): KeyPair {
    const names = this.#names;
    const subject = { commonName: names[0] ?? 'ecsm-apiserver' };
    return this.#pair('server.pem', { subject, use: 'server', names }, (pair) =>
      names.every((name) => isNamed(pair, name)),
    );
  }

  #renewAdmin(): void {
    const subject = { commonName: 'admin', organizations: ['system:masters'] };
    const { keyPem, certificatePem } = this.#pair('admin.pem', { subject, use: 'client' }, () => true);
    const text = kubeconfigFor({
      server: this.#options.server,
      caPem: this.authorityPem,
      user: 'admin',
      certificatePem,
      keyPem,
    });
    this.#publish('admin.kubeconfig', `${mark}${text}`, mark);
  }

  /** The stored pair if it is good for some time yet, or else a new one. */
  #pair(
    name: string,
    template: Pick<CertificateTemplate, 'subject' | 'use' | 'names'>,
    fits: (pair: KeyPair) => boolean,
  ): KeyPair {
    const path = this.#path(name);
    const stored = readKeyPair(path);
    if (stored && !this.#authority.hasIssued(stored)) {
      throw damaged(path, 'its certificate is not issued by the authority in ca.pem');
    }
    if (stored && fits(stored) && this.#hasTime(stored)) return stored;
    const pair = this.#authority.issue(template, yearMs);
    replacePrivateFile(path, formatKeyPair(pair));
    const expires = timestampAt(validityOf(pair.certificate).toMs);
    this.#log.write('info', stored ? 'certificate renewed' : 'certificate created', { path, expires });
    return pair;
  }

  #hasTime({ certificate }: KeyPair): boolean {
    const { fromMs, toMs } = validityOf(certificate);
    // Nothing is gained by a certificate that ends with its authority as well.
    if (toMs >= this.#authority.expiresMs) return toMs > this.#options.clock.now();
    return toMs - this.#options.clock.now() >= (toMs - fromMs) / 3;
  }

  /** Writes a file that is derived from the others. With `ours`, one that starts with this text is replaced. */
  #publish(name: string, text: string, ours?: string): void {
    const path = this.#path(name);
    const stored = readPrivateFile(path) ?? (createPrivateFile(path, text) ? text : readPrivateFile(path));
    if (stored === text) return;
    if (ours === undefined) throw damaged(path, 'it is not the one that belongs to ca.pem');
    if (stored?.startsWith(ours)) replacePrivateFile(path, text);
    // kubectl rewrites a kubeconfig, for example to set a namespace. Its certificate is good for some time yet.
    else this.#log.write('warn', 'file was edited and is not replaced; remove it to have it written again', { path });
  }

  #path(name: string): string {
    return join(this.#options.directory, name);
  }
}

function isNamed({ certificate }: KeyPair, name: string): boolean {
  const found = addressBytes(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' });
  return found !== undefined;
}
