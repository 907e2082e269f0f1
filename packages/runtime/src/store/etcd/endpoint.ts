/** One address of an etcd server and the connections to it. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ApiError } from '../../api/errors.ts';

export interface TlsOptions {
  /** Certificate authority that signed the servers' certificates, in PEM. Default: the system's. */
  readonly ca?: string;
  /** Client certificate and its key, in PEM, where the servers ask for one. */
  readonly cert?: string;
  readonly key?: string;
}

/** Requests under way to one endpoint at once; more wait for a free connection while their time runs. */
const socketsMax = 128;
/** An idle connection is checked after this long; the system then gives a dead one up within about ten seconds. */
const keepAliveMs = 5_000;

export class Endpoint {
  /** `http://host:port`, for people. */
  readonly name: string;
  readonly secure: boolean;
  readonly #url: URL;
  readonly #tls: TlsOptions;
  /** Connections that are kept and shared by calls. */
  readonly #pool: HttpAgent | HttpsAgent;
  /** Streams hold their connection for good, so they get their own and never keep a call waiting. */
  readonly #streams: HttpAgent | HttpsAgent;

  constructor(url: URL, tls: TlsOptions) {
    this.#url = url;
    this.#tls = tls;
    this.secure = url.protocol === 'https:';
    this.name = `${url.protocol}//${url.host}`;
    const Agent = this.secure ? HttpsAgent : HttpAgent;
    this.#pool = new Agent({
      keepAlive: true,
      keepAliveMsecs: keepAliveMs,
      maxSockets: socketsMax,
      scheduling: 'lifo',
    });
    this.#streams = new Agent({ keepAlive: false });
  }

  /** A POST that is not sent until its body is ended. */
  request(path: string, headers: Readonly<Record<string, string>>, use: 'call' | 'stream'): ClientRequest {
    const options: RequestOptions = {
      host: this.#url.hostname.replace(/^\[|\]$/g, ''),
      port: this.#url.port,
      path,
      method: 'POST',
      headers,
      agent: use === 'call' ? this.#pool : this.#streams,
    };
    const request = this.secure ? httpsRequest({ ...options, ...this.#tls }) : httpRequest(options);
    if (use === 'stream') request.setSocketKeepAlive(true, keepAliveMs);
    return request;
  }

  destroy(): void {
    this.#pool.destroy();
    this.#streams.destroy();
  }
}

/** `host:port` or `http(s)://host:port`; without a scheme it is https if there are TLS options, else http. */
export function parseEndpoints(
  endpoints: readonly string[],
  tls: TlsOptions | undefined,
): readonly [Endpoint, ...Endpoint[]] {
  const [first, ...rest] = endpoints.map(
    (text) => new Endpoint(parseEndpoint(text, tls ? 'https' : 'http'), tls ?? {}),
  );
  if (!first) throw new ApiError('BadRequest', { reason: 'etcd needs at least one endpoint (host:port)' });
  return [first, ...rest];
}

function parseEndpoint(text: string, scheme: string): URL {
  const full = /^[a-z]+:\/\//i.test(text) ? text : `${scheme}://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const fits = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.username && !url.password;
  // The text is not repeated where it may hold a password.
  if (!fits) {
    const shown = text.includes('@') ? 'with a user in it' : JSON.stringify(text.slice(0, 100));
    throw new ApiError('BadRequest', { reason: `etcd endpoint ${shown} is not host:port or http(s)://host:port` });
  }
  // etcd's own default, where the scheme's (80, 443) would be a surprise.
  if (url.port === '' && !/:\d+\/?$/.test(text)) url.port = '2379';
  return url;
}
