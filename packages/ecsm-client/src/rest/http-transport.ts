/**
 * The link over `node:http` and `node:https`. Connections are kept and used again, one request at a time each. It never
 * repeats a request: a connection that was found dead may have carried it all the same, and only a layer above knows
 * whether repeating is harmless.
 */
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Clock, systemClock } from '@ecsm/runtime';
import { type Address, parseAddress } from './http-address.ts';
import { exchange } from './http-exchange.ts';
import { badRequest, checkCount, checkTime } from './options.ts';
import type { Transport, WireRequest } from './transport.ts';

export interface TlsOptions {
  /** Authority that signed the platform's certificate, in PEM. Default: the system's. */
  readonly ca?: string;
  /** Client certificate and its key, in PEM, where the platform asks for one. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the certificate has to be for. Default: the URL's host. */
  readonly servername?: string;
  /** False accepts any certificate, and with it anybody on the way: for a workshop, not for a site. Default: true. */
  readonly rejectUnauthorized?: boolean;
}

export interface HttpTransportOptions {
  /** `http://host:3001`; a path in it goes before every target. */
  readonly url: string;
  /** Requests under way at once; more wait for a free connection while their time runs. Default: 8. */
  readonly connectionsMax?: number;
  /** Until a new connection is made, TLS included, so that a black hole does not take all of an attempt. Default: 5,000. */
  readonly connectTimeoutMs?: number;
  readonly tls?: TlsOptions;
  readonly clock?: Clock;
}

/** Throws `BadRequest` for options that make no sense. Nothing is connected before the first request. */
export function httpTransport(options: HttpTransportOptions): Transport {
  const address = parseAddress(options.url);
  if (options.tls && !address.isSecure)
    throw badRequest(`TLS options need an https:// URL, and ${address.name} is none`);
  const connectTimeoutMs = checkTime('connectTimeoutMs', options.connectTimeoutMs ?? 5_000);
  const Agent = address.isSecure ? HttpsAgent : HttpAgent;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: checkCount('connectionsMax', options.connectionsMax ?? 8),
    // The connection that was used last is the least likely to have been closed by the other side.
    scheduling: 'lifo',
  });
  const clock = options.clock ?? systemClock;
  const tls = options.tls ?? {};

  return {
    send(request, { signal, answerBytesMax, meter }) {
      const start = () => {
        const words = requestOptions(address, request, agent);
        return address.isSecure ? httpsRequest({ ...words, ...tls }) : httpRequest(words);
      };
      return exchange({ start, request, address, signal, answerBytesMax, meter, clock, connectTimeoutMs });
    },

    close() {
      // Those in use are let go of as they become idle.
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
  };
}

function requestOptions(address: Address, request: WireRequest, agent: HttpAgent): RequestOptions {
  const { method, target, headers, body } = request;
  // A body is never sent in chunks, and a write without one says so: some servers wait for it otherwise.
  const length = body || method !== 'GET' ? { 'content-length': String(body?.byteLength ?? 0) } : {};
  return {
    host: address.host,
    ...(address.port === undefined ? {} : { port: address.port }),
    path: `${address.prefix}${target}`,
    method,
    headers: { ...headers, ...length },
    agent,
  };
}
