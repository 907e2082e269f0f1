/** One address of an etcd server and the connections to it. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ApiError } from '../../api/errors.ts';

export interface TlsOptions {
  /** Certificate authority that signed the servers' certificates, in PEM. Default: the system's. */
  readonly ca?: string;
  /** Client certificate and its key, in PEM, if the servers require one. */
  readonly cert?: string;
  readonly key?: string;
}

/** Maximum concurrent requests to one endpoint; more wait for a free connection, and the wait counts for their timeout. */
const socketsMax = 128;
/** TCP keep-alive delay of an idle connection; the system then closes a dead one within about ten seconds. */
const keepAliveMs = 5_000;

export class Endpoint {
  /** `http://host:port`, for messages. */
  readonly name: string;
  readonly secure: boolean;
  readonly #url: URL;
  readonly #tls: TlsOptions;
  /** Pooled connections for calls. */
  readonly #pool: HttpAgent | HttpsAgent;
  /** Streams hold their connection until they end, so they use separate connections and never block a call. */
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

  /** Creates a POST, which is not sent until its body is ended. */
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
  // The text is not shown if it may contain a password.
  if (!fits) {
    const shown = text.includes('@') ? 'with a user in it' : JSON.stringify(text.slice(0, 100));
    throw new ApiError('BadRequest', { reason: `etcd endpoint ${shown} is not host:port or http(s)://host:port` });
  }
  // etcd's default port rather than that of the scheme (80, 443).
  if (url.port === '' && !/:\d+\/?$/.test(text)) url.port = '2379';
  return url;
}
