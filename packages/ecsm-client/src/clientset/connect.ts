/** Creates a client over HTTP, which accepts compressed responses. For another transport, use `RestClient` and `Ecsm` directly. */
import { RestClient } from '../rest/client.ts';
import { compressedTransport } from '../rest/compression.ts';
import { type HttpTransportOptions, httpTransport } from '../rest/http-transport.ts';
import type { RestOptions } from '../rest/options.ts';
import { Ecsm, type EcsmOptions } from './ecsm.ts';

export interface ConnectOptions extends HttpTransportOptions, Omit<RestOptions, 'transport' | 'targetBytesMax'> {
  readonly resources?: EcsmOptions;
}

export interface Connection {
  readonly ecsm: Ecsm;
  /** For calls that the resources do not cover. */
  readonly rest: RestClient;
  /** Closes idle connections. */
  close(): void;
}

/** The first call opens the first connection. Throws `BadRequest` for an invalid option. */
export function connect(options: ConnectOptions): Connection {
  const transport = compressedTransport(httpTransport(options), options.clock);
  const rest = new RestClient({ ...options, transport });
  return { rest, ecsm: new Ecsm(rest, options.resources), close: () => transport.close() };
}
