/** The connections to one server: a pool for requests, and separate ones for watches, which occupy theirs for minutes. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Trust } from '../config/connection.ts';
import type { ClientCertificate } from '../config/credentials.ts';

/** Idle connections are closed before load balancers drop them silently. */
const idleMsMax = 60_000;

export class Agents {
  readonly #isSecure: boolean;
  readonly #trust: Trust;
  readonly #connectionsMax: number;
  #certificate: ClientCertificate | undefined;
  #requests: HttpAgent;
  #watches: HttpAgent;

  constructor(server: string, trust: Trust, connectionsMax: number) {
    this.#isSecure = server.startsWith('https:');
    this.#trust = trust;
    this.#connectionsMax = connectionsMax;
    this.#requests = this.#create(connectionsMax);
    this.#watches = this.#create(Number.POSITIVE_INFINITY);
  }

  /** A connection belongs to the user of its certificate, so another certificate means new connections. */
  agentFor(certificate: ClientCertificate | undefined, isWatch: boolean): HttpAgent {
    if (certificate !== this.#certificate) {
      this.close();
      this.#certificate = certificate;
      this.#requests = this.#create(this.#connectionsMax);
      this.#watches = this.#create(Number.POSITIVE_INFINITY);
    }
    return isWatch ? this.#watches : this.#requests;
  }

  /** Closes idle connections. Those in use end with their requests. */
  close(): void {
    for (const agent of [this.#requests, this.#watches]) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }

  #create(maxSockets: number): HttpAgent {
    const common = { keepAlive: true, maxSockets, scheduling: 'lifo', timeout: idleMsMax } as const;
    if (!this.#isSecure) return new HttpAgent(common);
    const { ca, serverName, isInsecure } = this.#trust;
    return new HttpsAgent({
      ...common,
      rejectUnauthorized: !isInsecure,
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...this.#certificate,
    });
  }
}
