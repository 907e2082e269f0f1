/**
 * The fields of an image's configuration that the platform uses: limits, restart policy and health check. An absent or
 * invalid field has its default.
 */
import { type JsonValue, shape } from '@ecsm/runtime';
import type { ImageSpec, Node } from './model.ts';

const mebibyte = 1024 * 1024;
/** From the vendor's template of a SylixOS container. */
const sylixosMemoryLimitBytes = 2048 * mebibyte;
const sylixosDiskLimitBytes = 2048 * mebibyte;

interface Limits {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Whether the container has its own limit. */
  readonly isMemoryLimited: boolean;
  /** Whether the limit is in the configuration, and not the default. */
  readonly isMemoryDeclared: boolean;
  readonly isDiskDeclared: boolean;
}

/** On Linux, `memory` is assumed to be in bytes, as in Docker's API. Zero means the size of the node. */
export function limitsOf(image: ImageSpec, node: Node): Limits {
  const isLinux = node.type === 'linux';
  const memory = isLinux
    ? amount(image.config['memory'])
    : inBytes(amount(field(image.config, 'sylixos', 'resources', 'memory', 'memoryLimitMB')));
  const disk = isLinux ? 0 : inBytes(amount(field(image.config, 'sylixos', 'resources', 'disk', 'limitMB')));
  const memoryBytes = memory ?? (isLinux ? 0 : sylixosMemoryLimitBytes);
  const diskBytes = disk ?? sylixosDiskLimitBytes;
  return {
    memoryBytes: memoryBytes === 0 ? node.memoryTotalBytes : memoryBytes,
    diskBytes: diskBytes === 0 ? node.diskTotalBytes : diskBytes,
    isMemoryLimited: memoryBytes > 0,
    isMemoryDeclared: memory !== undefined && memory > 0,
    isDiskDeclared: disk !== undefined && disk > 0,
  };
}

function inBytes(mebibytes: number | undefined): number | undefined {
  return mebibytes === undefined ? undefined : mebibytes * mebibyte;
}

/** Docker's restart policy; none is documented for SylixOS. */
export function forbidsRestart(image: ImageSpec): boolean {
  return image.config['restart'] === 'no';
}

interface HealthCheck {
  readonly startPeriodMs: number;
  /** From the first failed check until the container is restarted. */
  readonly patienceMs: number;
  readonly livenessProbe: boolean;
}

/** Returns undefined without VSOA or without a health path. */
export function healthCheckOf(image: ImageSpec): HealthCheck | undefined {
  const path = field(image.vsoa, 'healthPath');
  if (typeof path !== 'string' || path === '') return undefined;
  return {
    startPeriodMs: amount(field(image.vsoa, 'healthStartPeriod')) ?? 0,
    patienceMs:
      (amount(field(image.vsoa, 'healthRetries')) ?? 3) * (amount(field(image.vsoa, 'healthInterval')) ?? 5_000),
    livenessProbe: field(image.vsoa, 'livenessProbe') === true,
  };
}

/** The VSOA port of the host: a fixed port, 0 to allocate one, or undefined without VSOA. */
export function vsoaPortOf(image: ImageSpec): number | undefined {
  if (image.vsoa === undefined) return undefined;
  const port = amount(field(image.vsoa, 'port')) ?? 0;
  return port <= 65_535 ? Math.floor(port) : 0;
}

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** The default, also for an invalid value, is `Always` for `latest`, else `IfNotPresent`. */
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

/** Small enough that sums stay exact. */
const amountMax = 2 ** 40;

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= amountMax ? value : undefined;
}
