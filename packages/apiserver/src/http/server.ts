/**
 * The HTTPS server: Kubernetes' API over a registry, for unmodified clients of Kubernetes.
 *
 * It holds no state of its own: several servers can serve one registry, and a client that loses its connection resumes
 * at any of them.
 */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type Clock, type Log, type Registry, silentLog } from '@ecsm/runtime';
import type { AuditRecord } from '../audit/record.ts';
import type { Authenticator } from '../auth/contract.ts';
import { RbacAuthorizer, type RbacSource } from '../auth/rbac/authorizer.ts';
import { HttpError } from '../response/http-error.ts';
import type { ServerCredentials } from '../tls/certificates.ts';
import type { Target } from '../verbs/call.ts';
import { bookmarkMs } from '../verbs/watch.ts';
import { Batch } from './batch.ts';
import { Connections } from './connections.ts';
import { admitWrite } from './escalation.ts';
import { Handler } from './handler.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { Paths } from './paths.ts';
import { Reviews, servedReviews } from './reviews.ts';
import { ServedResources } from './served.ts';
import { Turns } from './turns.ts';

export interface ApiServerOptions {
  readonly registry: Registry;
  /** Key and certificate of the server, and the authority of client certificates. */
  readonly credentials: ServerCredentials;
  /** Read-only resources beside those of the registry. Default: none. */
  readonly views?: readonly Target[];
  /** Default: every request is anonymous. */
  readonly authenticator?: Authenticator;
  /** Roles and bindings. Default: every user may do everything. */
  readonly rbac?: RbacSource;
  /** Called when a request has ended, for an audit log. */
  readonly onEnd?: (record: AuditRecord) => void;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limits?: Partial<Limits>;
  /** Interval between bookmarks of a watch. Default 30 seconds. */
  readonly bookmarkMs?: number;
}

/** Between two looks for connections that have become idle, when the server closes. */
const closePollMs = 50;
/** Longest interval between checks of the timeouts of connections. Default of Node.js. */
const checkMsMax = 30_000;

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export class ApiServer {
  readonly #server: Server;
  readonly #handler: Handler;
  readonly #turns = new Turns();
  readonly #batch = new Batch();
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #closeTimeoutMs: number;
  readonly #connections: Connections;

  constructor(options: ApiServerOptions) {
    const { registry, credentials, log = silentLog, clock = registry.clock } = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.#clock = clock;
    // One listener for each watch, which is no leak.
    setMaxListeners(0, this.#closing.signal);
    this.#closeTimeoutMs = limits.closeTimeoutMs;
    const served = new ServedResources(registry, options.views);
    const { authenticator, rbac: source } = options;
    const authorizer = source && new RbacAuthorizer(source);
    this.#handler = new Handler({
      registry,
      clock,
      log,
      served,
      paths: new Paths({ served: [...served.all, ...servedReviews], ready: () => this.#ready(registry) }),
      authenticator,
      authorizer,
      admit: async (user, kind, object, isPart) => {
        if (source && authorizer) await admitWrite({ source, authorizer, registry }, user, kind, object, isPart);
      },
      reviews: new Reviews({ authenticator, authorizer }),
      limits,
      bookmarkMs: options.bookmarkMs ?? bookmarkMs,
      onEnd: options.onEnd,
      onAnswered: (response) => this.#closeIdleAfter(response),
      signal: this.#closing.signal,
    });
    this.#server = createServer(
      {
        ...credentials,
        // Certificates of other authorities, and none, are for the authenticator to reject.
        requestCert: true,
        rejectUnauthorized: false,
        minVersion: 'TLSv1.2',
        maxHeaderSize: limits.headerBytesMax,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.idleTimeoutMs,
        handshakeTimeout: limits.headersTimeoutMs,
        connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, checkMsMax),
      },
      (request: IncomingMessage, response: ServerResponse) => {
        this.#turns.wait(request, response, () => {
          this.#batch.add(() => void this.#handler.handle(request, response));
        });
      },
    );
    this.#server.maxConnections = limits.connectionsMax;
    // A client that disconnects or does not speak HTTP.
    this.#server.on('clientError', (_, socket) => socket.destroy());
    this.#server.on('tlsClientError', () => {});
    this.#connections = new Connections(this.#server, clock, limits.writeTimeoutMs);
  }

  /** Watches that are open. */
  get watches(): number {
    return this.#handler.watches;
  }

  /** Connections that are open, also those without a request. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Returns the address, with the port that was chosen if it was 0. */
  async listen({ host, port }: ListenAddress): Promise<ListenAddress> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
    this.#connections.watch();
    const address = this.#server.address();
    const bound = typeof address === 'object' && address !== null ? address.port : port;
    return { host, port: bound };
  }

  /** New connections use these; open ones go on. */
  renew(credentials: ServerCredentials): void {
    this.#server.setSecureContext(credentials);
  }

  /** Ends watches, waits for the requests in flight for `closeTimeoutMs`, and closes all connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    let isClosed = false;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve())).then(() => {
      isClosed = true;
    });
    const startMs = this.#clock.monotonicMs();
    const closeIdle = () => {
      if (isClosed) return;
      // A connection becomes idle when its request has ended. One whose client does not read never does.
      if (this.#clock.monotonicMs() - startMs < this.#closeTimeoutMs) this.#server.closeIdleConnections();
      else this.#connections.destroy();
      this.#clock.after(closePollMs, closeIdle);
    };
    closeIdle();
    await closed;
    this.#connections.stop();
    this.#handler.stop();
  }

  /** A server that closes waits for connections that are idle. */
  #closeIdleAfter(response: ServerResponse): void {
    if (!this.#closing.signal.aborted) return;
    if (response.closed) this.#server.closeIdleConnections();
    else response.once('close', () => this.#server.closeIdleConnections());
  }

  async #ready(registry: Registry): Promise<void> {
    const [kind] = registry.kinds.kinds;
    if (this.#closing.signal.aborted) throw new HttpError(503, 'ServiceUnavailable', 'the server is shutting down');
    if (kind) await registry.resource(kind).versions({ limit: 1 });
  }
}
