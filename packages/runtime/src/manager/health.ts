/**
 * `/healthz`, `/readyz` and `/metrics` over HTTP, for probes and for Prometheus. It exposes internals of the process
 * without authentication, so it listens on the loopback address by default.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { type Checks, runCheck, runChecks } from './checks.ts';
import { limitConnections } from './connections.ts';
import { METRICS_CONTENT_TYPE, type MetricRegistry } from './metrics.ts';

export interface HealthAddress {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port; `HealthServer.port` is the actual one. */
  readonly port?: number;
  /** Allows a non-loopback host. There is no authentication: use it only in a trusted network. Default false. */
  readonly allowRemote?: boolean;
}

export interface HealthOptions extends HealthAddress {
  readonly clock: Clock;
  /** Called for each request, so that the checks may change. */
  readonly health: () => Checks;
  readonly ready: () => Checks;
  readonly metrics: MetricRegistry;
}

/** Probes are few and short, so the limits are low. */
export const healthLimits = {
  connectionsMax: 64,
  headerBytesMax: 8 * 1024,
  requestMsMax: 5_000,
  keepAliveMsMax: 5_000,
  /** How long `close` waits for requests in flight. */
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
      (request, response) => void respond(options, request, response),
    );
    limitConnections(server, healthLimits.connectionsMax);
    await new Promise<void>((resolve, reject) => {
      // The listener stays: a connection that cannot be accepted later must not end the process.
      server.on('error', (error) => reject(listenError(error, host, port)));
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

async function respond(options: HealthOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const {
    status,
    text,
    type = 'text/plain; charset=utf-8',
    headers = {},
  } = await responseTo(options, request).catch(() => internalError);
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

interface HealthResponse {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function responseTo(
  options: HealthOptions,
  { method, url = '/', headers }: IncomingMessage,
): Promise<HealthResponse> {
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, text: 'method not allowed\n', headers: { allow: 'GET, HEAD', connection: 'close' } };
  }
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') {
    return { status: 413, text: 'request body not allowed\n', headers: { connection: 'close' } };
  }
  const [path = '', query = ''] = url.split('?', 2);
  if (path === '/metrics') return { status: 200, text: options.metrics.render(), type: METRICS_CONTENT_TYPE };
  const [, title = '', name, ...more] = path.split('/');
  if ((title !== 'healthz' && title !== 'readyz') || more.length > 0) return notFound;
  const checks = title === 'healthz' ? options.health() : options.ready();
  if (name) return checkResponse(checks, name, options.clock);
  return checksResponse(title, checks, new URLSearchParams(query), options.clock);
}

const notFound: HealthResponse = { status: 404, text: 'not found\n' };
const internalError: HealthResponse = { status: 500, text: 'internal error\n' };

async function checkResponse(checks: Checks, name: string, clock: Clock): Promise<HealthResponse> {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (!check) return notFound;
  const reason = await runCheck(check, clock);
  return reason === undefined ? { status: 200, text: 'ok' } : { status: 500, text: `${name} failed: ${reason}\n` };
}

/** Only `ok` if all checks pass; a failure always returns the full list. */
async function checksResponse(
  title: string,
  checks: Checks,
  query: URLSearchParams,
  clock: Clock,
): Promise<HealthResponse> {
  const { passed, text } = await runChecks(title, checks, new Set(query.getAll('exclude')), clock);
  if (!passed) return { status: 500, text };
  return { status: 200, text: query.has('verbose') ? text : 'ok' };
}

function checkAddress(host: string, port: number, allowRemote: boolean): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ApiError('BadRequest', { reason: `the port of the health server must be from 0 to 65535, not ${port}` });
  }
  if (allowRemote || /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) return;
  throw new ApiError('Forbidden', {
    reason: `the health server will not listen on ${host}, where other machines can reach it: use 127.0.0.1, or set allowRemote`,
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ApiError {
  const what = `the address ${host}:${port} of the health server`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the address is in use; choose another port, or 0 for any free one',
    EACCES: 'permission denied; choose a port of 1024 or more',
    EADDRNOTAVAIL: 'this machine does not have that address',
  };
  return new ApiError('Unavailable', { what, reason: reasons[error.code ?? ''] ?? error.message }, error);
}
