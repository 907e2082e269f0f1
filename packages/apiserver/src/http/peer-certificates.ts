/**
 * The client certificates of connections. OpenSSL copies and parses one each time that it is asked for, which costs more
 * than the rest of the authentication, so each connection is asked once.
 */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../auth/contract.ts';

export class PeerCertificates {
  /** Null: the client has sent none. */
  readonly #known = new WeakMap<TLSSocket, PeerCertificate | null>();

  /** Returns undefined if the client has sent none. The same object for all requests of a connection. */
  certificateOf(socket: IncomingMessage['socket']): PeerCertificate | undefined {
    if (!(socket instanceof TLSSocket)) return undefined;
    const known = this.#known.get(socket);
    if (known !== undefined) return known ?? undefined;
    const found = socket.getPeerX509Certificate();
    const certificate = found ? { raw: found.raw } : null;
    this.#known.set(socket, certificate);
    return certificate ?? undefined;
  }
}
