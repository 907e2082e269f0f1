/**
 * The transport over `node:http` and `node:https`, with keep-alive connections. It never repeats a request: one that
 * failed may have been executed, and only the caller knows whether it may be repeated.
 */
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Clock, systemClock } from '@ecsm/runtime';
import { type Address, parseAddress } from './http-address.ts';
import { exchange } from './http-exchange.ts';
import { badRequest, checkCount, checkTime } from './options.ts';
import type { Transport, WireRequest } from './transport.ts';

export interface TlsOptions {
  /** Certificate authority of the platform's certificate, in PEM. Default: those of the system. */
  readonly ca?: string;
  /** Client certificate and its key, in PEM, if the platform requires one. */
  readonly cert?: string;
  readonly key?: string;
  /** The required host name of the certificate. Default: the URL's host. */
  readonly servername?: string;
  /** False accepts any certificate, which allows interception: for development only. Default: true. */
  readonly rejectUnauthorized?: boolean;
}

export interface HttpTransportOptions {
  /** `http://host:3001`; its path is a prefix of every target. */
  readonly url: string;
  /** Maximum number of concurrent requests. The timeout of others starts when they get a connection. Default: 8. */
  readonly connectionsMax?: number;
  /** Timeout of a new connection, including TLS; shorter than that of an attempt. Default: 5,000. */
  readonly connectTimeoutMs?: number;
  readonly tls?: TlsOptions;
  readonly clock?: Clock;
}

/** Throws `BadRequest` for invalid options. The first request opens the first connection. */
export function httpTransport(options: HttpTransportOptions): Transport {
  const address = parseAddress(options.url);
  if (options.tls && !address.isSecure) throw badRequest(`TLS options require an https:// URL, not ${address.name}`);
  const connectTimeoutMs = checkTime('connectTimeoutMs', options.connectTimeoutMs ?? 5_000);
  const Agent = address.isSecure ? HttpsAgent : HttpAgent;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: checkCount('connectionsMax', options.connectionsMax ?? 8),
    // The most recently used connection is the least likely to have been closed by the server.
    scheduling: 'lifo',
  });
  const clock = options.clock ?? systemClock;
  const tls = options.tls ?? {};

  return {
    send(request, options) {
      const start = () => {
        const nodeOptions = requestOptions(address, request, agent);
        return address.isSecure ? httpsRequest({ ...nodeOptions, ...tls }) : httpRequest(nodeOptions);
      };
      return exchange({ ...options, start, request, address, clock, connectTimeoutMs });
    },

    close() {
      // Connections in use are closed when they become idle.
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
  };
}

function requestOptions(address: Address, request: WireRequest, agent: HttpAgent): RequestOptions {
  const { method, target, headers, body } = request;
  // A write without a body needs a length of 0, or some servers wait for the body.
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
