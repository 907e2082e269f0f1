/**
 * Returns memory to the machine while the program is idle. The engine collects garbage when it needs room, so an idle
 * process keeps the garbage of its last requests, such as lists of all objects, until there are others.
 */
import { cpuUsage, memoryUsage } from 'node:process';
import { type Clock, sleep } from '@ecsm/runtime';

export interface IdleMemoryOptions {
  readonly clock: Clock;
  /** Collects all garbage, which pauses the process for 10 to 20 ms. */
  readonly collect: () => void;
  /** Default: of this process. */
  readonly residentBytes?: () => number;
  /** Processor time so far. Default: of this process. */
  readonly cpuMs?: () => number;
}

export const idleMemoryLimits = {
  checkMs: 1_000,
  /** A process that has used less between two checks is idle. */
  idleCpuMs: 50,
  /** A collection takes place when the process has grown by this since the last one. */
  growthBytesMin: 4 * 1024 * 1024,
  /** Another one follows if it has released this: pages are returned one collection after their objects. */
  releasedBytesMin: 1024 * 1024,
} as const;

/** Until the signal aborts. */
export async function releaseIdleMemory(
  { clock, collect, residentBytes = () => memoryUsage.rss(), cpuMs = ownCpuMs }: IdleMemoryOptions,
  signal: AbortSignal,
): Promise<void> {
  const { checkMs, idleCpuMs, growthBytesMin, releasedBytesMin } = idleMemoryLimits;
  let knownBytes = residentBytes();
  let usedMs = cpuMs();
  /** Before the collection of the last check, which releases pages in the background. */
  let collectedBytes: number | undefined;
  for (;;) {
    await sleep(clock, checkMs, signal);
    if (signal.aborted) return;
    const isIdle = cpuMs() - usedMs < idleCpuMs;
    const bytes = residentBytes();
    const isReleasing = collectedBytes !== undefined && collectedBytes - bytes >= releasedBytesMin;
    if (collectedBytes !== undefined) knownBytes = bytes;
    collectedBytes = isIdle && (isReleasing || bytes - knownBytes >= growthBytesMin) ? bytes : undefined;
    if (collectedBytes !== undefined) collect();
    usedMs = cpuMs();
  }
}

function ownCpuMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}
