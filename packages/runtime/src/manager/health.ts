/**
 * `/healthz`, `/readyz` and `/metrics` over HTTP, for probes and for Prometheus. It tells about the inside of the
 * process to anybody who can reach it, so it listens on the loopback address unless somebody asks for more.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { type Checks, examine, examineOne } from './checks.ts';
import { limitConnections } from './connections.ts';
import { METRICS_CONTENT_TYPE, type MetricRegistry } from './metrics.ts';

export interface HealthAddress {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port; `HealthServer.port` tells which. */
  readonly port?: number;
  /** Default false: only this machine may ask. There is no password, so open it only to a network that you trust. */
  readonly allowRemote?: boolean;
}

export interface HealthOptions extends HealthAddress {
  readonly clock: Clock;
  /** Asked at each request, so that they may change. */
  readonly health: () => Checks;
  readonly ready: () => Checks;
  readonly metrics: MetricRegistry;
}

/** Probes are few and short; whoever needs more than this is not one. */
export const healthLimits = {
  connectionsMax: 64,
  headerBytesMax: 8 * 1024,
  requestMsMax: 5_000,
  keepAliveMsMax: 5_000,
  /** How long `close` waits for answers that are on their way. */
  closeMsMax: 1_000,
} as const;

export class HealthServer {
  readonly host: string;
  readonly port: number;
  readonly #server: Server;
  readonly #clock: Clock;

  private constructor(server: Server, host: string, clock: Clock) {
    const address = server.address();
    this.#server = server;
    this.#clock = clock;
    this.host = host;
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Throws `Forbidden` for an address that others can reach, `Unavailable` if the port is taken. */
  static async listen(options: HealthOptions): Promise<HealthServer> {
    const { host = '127.0.0.1', port = 0, allowRemote = false } = options;
    checkAddress(host, port, allowRemote);
    const server = createServer(
      {
        maxHeaderSize: healthLimits.headerBytesMax,
        headersTimeout: healthLimits.requestMsMax,
        requestTimeout: healthLimits.requestMsMax,
        keepAliveTimeout: healthLimits.keepAliveMsMax,
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => void answer(options, request, response),
    );
    limitConnections(server, healthLimits.connectionsMax);
    await new Promise<void>((resolve, reject) => {
      // It stays: later on, a connection that could not be accepted is no reason to end the process.
      server.on('error', (error) => reject(explained(error, host, port)));
      server.listen({ host, port, exclusive: true }, () => resolve());
    });
    return new HealthServer(server, host, options.clock);
  }

  get url(): string {
    return `http://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  async close(): Promise<void> {
    const cancel = this.#clock.after(healthLimits.closeMsMax, () => this.#server.closeAllConnections());
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
    });
    cancel();
  }
}

async function answer(options: HealthOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const {
    status,
    text,
    type = 'text/plain; charset=utf-8',
    headers = {},
  } = await answerTo(options, request).catch(() => broken);
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answerTo(options: HealthOptions, { method, url = '/', headers }: IncomingMessage): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, text: 'method not allowed\n', headers: { allow: 'GET, HEAD', connection: 'close' } };
  }
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') {
    return { status: 413, text: 'a question has no body\n', headers: { connection: 'close' } };
  }
  const [path = '', query = ''] = url.split('?', 2);
  if (path === '/metrics') return { status: 200, text: options.metrics.render(), type: METRICS_CONTENT_TYPE };
  const [, title = '', name, ...more] = path.split('/');
  if ((title !== 'healthz' && title !== 'readyz') || more.length > 0) return notFound;
  const checks = title === 'healthz' ? options.health() : options.ready();
  if (name) return answerOne(checks, name, options.clock);
  return answerAll(title, checks, new URLSearchParams(query), options.clock);
}

const notFound: Answer = { status: 404, text: 'not found\n' };
const broken: Answer = { status: 500, text: 'internal error\n' };

async function answerOne(checks: Checks, name: string, clock: Clock): Promise<Answer> {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (!check) return notFound;
  const reason = await examineOne(check, clock);
  return reason === undefined ? { status: 200, text: 'ok' } : { status: 500, text: `${name} failed: ${reason}\n` };
}

/** Short when all is well; whoever has to mend something gets the whole list without asking. */
async function answerAll(title: string, checks: Checks, query: URLSearchParams, clock: Clock): Promise<Answer> {
  const { passed, text } = await examine(title, checks, new Set(query.getAll('exclude')), clock);
  if (!passed) return { status: 500, text };
  return { status: 200, text: query.has('verbose') ? text : 'ok' };
}

function checkAddress(host: string, port: number, allowRemote: boolean): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ApiError('BadRequest', { reason: `the port of the health server has to be 0 to 65535, not ${port}` });
  }
  if (allowRemote || /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) return;
  throw new ApiError('Forbidden', {
    reason: `the health server will not listen on ${host}, where other machines can reach it: use 127.0.0.1, or set allowRemote`,
  });
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): ApiError {
  const what = `the address ${host}:${port} of the health server`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there already; choose another port, or 0 for any free one',
    EACCES: 'this user may not listen there; choose a port of 1024 or more',
    EADDRNOTAVAIL: 'this machine does not have that address',
  };
  return new ApiError('Unavailable', { what, reason: reasons[error.code ?? ''] ?? error.message }, error);
}
