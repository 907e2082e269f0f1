/** The short way to a platform over HTTP. Whoever brings a transport of their own builds `RestClient` and `Ecsm`. */
import { RestClient } from '../rest/client.ts';
import { type HttpTransportOptions, httpTransport } from '../rest/http-transport.ts';
import type { RestOptions } from '../rest/options.ts';
import { Ecsm, type EcsmOptions } from './ecsm.ts';

export interface ConnectOptions extends HttpTransportOptions, Omit<RestOptions, 'transport' | 'targetBytesMax'> {
  readonly resources?: EcsmOptions;
}

export interface Connection {
  readonly ecsm: Ecsm;
  /** For calls that the resources do not know. */
  readonly rest: RestClient;
  /** Lets go of idle connections. */
  close(): void;
}

/** Opens no connection yet: the first call does. `BadRequest` for an option that makes no sense. */
export function connect(options: ConnectOptions): Connection {
  const transport = httpTransport(options);
  const rest = new RestClient({ ...options, transport });
  return { rest, ecsm: new Ecsm(rest, options.resources), close: () => transport.close() };
}
