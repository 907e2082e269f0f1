/** What etcd.suite.ts needs of a cluster, and how tests wait for one. */
import { vi } from 'vitest';
import type { EtcdClient, EtcdEndpoint, EtcdErrorCode } from './contract.ts';
import { isEtcdError } from './error.ts';

/** A cluster of members by slot: a slot keeps its address and its data when its process ends. */
export interface SuiteCluster {
  readonly client: EtcdClient;
  endpoint(slot: number): EtcdEndpoint;
  peerURL(slot: number): string;
  start(slot: number, options: { readonly state: 'new' | 'existing'; readonly slots: readonly number[] }): void;
  restart(slot: number): void;
  stop(slot: number): Promise<void>;
  freeze(slot: number, isFrozen: boolean): void;
  /** Empties the data directory of a member that is stopped. */
  wipe(slot: number): void;
  isRunning(slot: number): boolean;
  close(): Promise<void>;
}

export interface EtcdHarness {
  readonly name: string;
  /** Such as `3.5.16`. */
  readonly version: string;
  create(options: { readonly quotaBytes?: number }): SuiteCluster;
}

/** Repeats the action until it does not fail, also in hooks. */
export function eventually<T>(action: () => Promise<T>): Promise<T> {
  return vi.waitFor(action, { timeout: 120_000, interval: 50 });
}

/** `ok`, or the code of the error. Anything but an `EtcdError` is thrown. */
export async function outcome(call: Promise<unknown>): Promise<EtcdErrorCode | 'ok'> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (isEtcdError(error)) return error.code;
    throw error;
  }
}
