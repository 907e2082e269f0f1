/**
 * What the platform reads out of a configuration that it otherwise keeps as it came: limits, the restart policy and the
 * health check. A field that is absent or makes no sense counts as its default.
 */
import { type JsonValue, shape } from '@ecsm/runtime';
import type { ImageSpec, Node } from './model.ts';

const mebibyte = 1024 * 1024;
/** The vendor's template of a SylixOS container. */
const sylixosMemoryLimitMB = 2048;
const sylixosDiskLimitMB = 2048;

export interface Limits {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Whether there is a limit of its own, less than the node itself. */
  readonly isMemoryLimited: boolean;
}

/** On Linux, `memory` is in bytes, as in Docker's API; the unit is a guess. Zero means no limit but the node's size. */
export function limitsOf(image: ImageSpec, node: Node): Limits {
  const isLinux = node.type === 'linux';
  const memoryBytes = isLinux
    ? amount(image.config['memory'], 0)
    : amount(field(image.config, 'sylixos', 'resources', 'memory', 'memoryLimitMB'), sylixosMemoryLimitMB) * mebibyte;
  const diskBytes = isLinux
    ? 0
    : amount(field(image.config, 'sylixos', 'resources', 'disk', 'limitMB'), sylixosDiskLimitMB) * mebibyte;
  return {
    memoryBytes: memoryBytes === 0 ? node.memoryTotalBytes : memoryBytes,
    diskBytes: diskBytes === 0 ? node.diskTotalBytes : diskBytes,
    isMemoryLimited: memoryBytes > 0,
  };
}

/** Docker's restart policy; SylixOS has none that is documented. */
export function forbidsRestart(image: ImageSpec): boolean {
  return image.config['restart'] === 'no';
}

export interface HealthCheck {
  readonly startPeriodMs: number;
  /** From the first check that fails until the container counts as dead. */
  readonly patienceMs: number;
  readonly livenessProbe: boolean;
}

/** Undefined where nothing is checked: no VSOA, or no path to ask. */
export function healthCheckOf(image: ImageSpec): HealthCheck | undefined {
  const path = field(image.vsoa, 'healthPath');
  if (typeof path !== 'string' || path === '') return undefined;
  return {
    startPeriodMs: amount(field(image.vsoa, 'healthStartPeriod'), 0),
    patienceMs: amount(field(image.vsoa, 'healthRetries'), 3) * amount(field(image.vsoa, 'healthInterval'), 5_000),
    livenessProbe: field(image.vsoa, 'livenessProbe') === true,
  };
}

/** The VSOA port of the host: a number as asked for, 0 to have one allocated, undefined without VSOA. */
export function vsoaPortOf(image: ImageSpec): number | undefined {
  if (image.vsoa === undefined) return undefined;
  const port = amount(field(image.vsoa, 'port'), 0);
  return port <= 65_535 ? Math.floor(port) : 0;
}

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** What is none of the three words counts as absent: `Always` for `latest`, else `IfNotPresent`. */
export function pullPolicyOf(image: ImageSpec): PullPolicy {
  switch (image.pullPolicy.toLowerCase()) {
    case 'always':
      return 'Always';
    case 'ifnotpresent':
      return 'IfNotPresent';
    case 'never':
      return 'Never';
    default:
      return /@latest(#|$)/.test(image.ref) ? 'Always' : 'IfNotPresent';
  }
}

function field(value: JsonValue | undefined, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) {
    found = shape.isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** Large enough for every amount of this world, small enough that sums of them stay exact. */
const amountMax = 2 ** 40;

function amount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 && value <= amountMax ? value : otherwise;
}
