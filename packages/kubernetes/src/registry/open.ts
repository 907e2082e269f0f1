/** Opens a registry by its URL: `kubernetes:`, `kubernetes:CONTEXT` or `https://host:6443`. */
import {
  type Clock,
  type Kind,
  type KindSet,
  type Log,
  type Random,
  silentLog,
  systemClock,
  systemRandom,
} from '@ecsm/runtime';
import { type ConnectOptions, connectionOf } from '../config/open.ts';
import { RestClient, type RestOptions } from '../rest/client.ts';
import { KubernetesRegistry } from './registry.ts';

export interface OpenKubernetesOptions
  extends Omit<ConnectOptions, 'clock'>,
    Pick<RestOptions, 'timeoutMs' | 'responseBytesMax' | 'eventBytesMax' | 'connectionsMax'> {
  readonly kinds: Iterable<Kind> | KindSet;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The field manager of writes that name none. Default `ecsm`. */
  readonly manager?: string;
}

/** Reads the configuration, but sends nothing. Throws `BadRequest` or `Malformed` if the configuration is wrong. */
export async function openKubernetesRegistry(url: string, options: OpenKubernetesOptions): Promise<KubernetesRegistry> {
  const { clock = systemClock, random = systemRandom, log = silentLog } = options;
  const connection = await connectionOf(url, { ...options, clock });
  const client = new RestClient({ ...options, connection, clock, random, log });
  return new KubernetesRegistry({ ...options, client, clock, random, log });
}
