/**
 * The interface of a simulated platform: the operations of operations.ts and their types. The API translates requests
 * into these calls. There are no timers: every call first processes all events that are due.
 */
import type { JsonObject } from '@ecsm/runtime';
import type { Behaviour } from './behaviour.ts';
import type { OperatingSystem, State } from './model.ts';
import type { operations } from './operations.ts';
import type { World } from './world.ts';

/** Absent fields have defaults. */
export interface NewNode {
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  readonly password: string;
  readonly tls?: boolean;
  readonly type?: OperatingSystem;
  readonly arch?: string;
  readonly cores?: number;
  readonly memoryTotalBytes?: number;
  readonly diskTotalBytes?: number;
}

export interface NewImage {
  readonly name: string;
  readonly tag: string;
  readonly os: OperatingSystem;
  readonly arch?: string;
  readonly sizeBytes: number;
  readonly author?: string | null;
  readonly description?: string;
  readonly config?: JsonObject;
  /** Default `local`. */
  readonly registryId?: string;
}

export interface ContainerUsage {
  /** Percent of the node's CPU. */
  readonly cpuPercent: number;
  readonly cpuCores: readonly number[];
  readonly memoryBytes: number;
  readonly memoryMaxBytes: number;
  readonly diskBytes: number;
  readonly uptimeSeconds: number;
}

export interface NodeUsage {
  readonly cpuPercent: number;
  readonly cpuCores: readonly number[];
  readonly memoryFreeBytes: number;
  readonly diskFreeBytes: number;
  readonly processCount: number;
  readonly containers: {
    readonly total: number;
    readonly running: number;
    readonly ecsmTotal: number;
    readonly ecsmRunning: number;
  };
  readonly uptimeSeconds: number;
  readonly network: readonly { readonly name: string; readonly upBytes: number; readonly downBytes: number }[];
}

export interface DeployOutcome {
  readonly templateId: string;
  readonly result: 'failed' | 'created' | 'updated';
  readonly serviceId: string | null;
  readonly taskIds: readonly string[];
  readonly error: string | null;
}

type Bound<Operation> = Operation extends (world: World, ...parameters: infer Parameters) => infer Result
  ? (...parameters: Parameters) => Result
  : never;

/** Each operation without its first parameter. */
export type Operations = { [Name in keyof typeof operations]: Bound<(typeof operations)[Name]> };

export interface Platform extends Operations {
  readonly behaviour: Behaviour;
  /** The current time of the platform. */
  now(): number;
  /** Processes all events that are due. */
  advance(): void;
  /** The time of the next scheduled event; undefined if there is none. */
  nextAtMs(): number | undefined;
  /** The whole state as JSON. */
  snapshot(): State;
}
