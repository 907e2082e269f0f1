/**
 * Demand that the running instances of a service share, such as requests: more instances mean less for each. A wave
 * moves it over time. It is a function of the state and the time, so reading it changes nothing.
 */
import type { Container, Load } from './model.ts';
import type { World } from './world.ts';

interface Share {
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

const none: Share = { cpuPercent: 0, memoryBytes: 0 };

export function isShared({ cpuPercentTotal = 0, memoryBytesTotal = 0 }: Load): boolean {
  return cpuPercentTotal > 0 || memoryBytesTotal > 0;
}

/** The part of one container, in hundredths of a percent. An instance that does not run, or that cannot be reached, serves nothing. */
export function shareOf(world: World, container: Container): Share {
  const load = world.services.get(container.serviceId)?.load;
  if (load === undefined || !isShared(load) || !isServing(world, container)) return none;
  let serving = 0;
  for (const other of world.containers.ofService(container.serviceId).values()) {
    if (isServing(world, other)) serving++;
  }
  const part = waveFactor(load, world.nowMs) / serving;
  return {
    cpuPercent: Math.round((load.cpuPercentTotal ?? 0) * part * 100) / 100,
    memoryBytes: Math.round((load.memoryBytesTotal ?? 0) * part),
  };
}

/** 1 at the start of the wave and without one; then up first, between 1 - and 1 + `wavePercent`. */
function waveFactor({ wavePeriodMs = 0, wavePercent = 0, waveStartMs = 0 }: Load, nowMs: number): number {
  if (wavePeriodMs === 0) return 1;
  return 1 + (wavePercent / 100) * Math.sin((2 * Math.PI * (nowMs - waveStartMs)) / wavePeriodMs);
}

function isServing(world: World, container: Container): boolean {
  return container.status === 'running' && world.nodes.get(container.nodeId)?.online === true;
}
