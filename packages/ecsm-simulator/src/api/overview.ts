/** Routes of the platform's dashboard: the load of a node, current or over time. Percentages are text. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Node } from '../platform/model.ts';
import type { Call } from './call.ts';
import { badRequest } from './input.ts';
import { knownNode } from './nodes.ts';
import { nodeView, serviceView } from './platform-view.ts';
import type { Route } from './route.ts';
import { knownService } from './services.ts';
import { parseMoment } from './times.ts';
import { megabytes } from './units.ts';

export const overviewRoutes: readonly Route[] = [
  { method: 'GET', path: '/overview/node', section: '10', mark: 'GO', handle: load },
  {
    method: 'GET',
    path: '/overview/platform/node-view/:nodeId',
    section: '10',
    mark: 'DOC',
    handle: (call) => nodeView(call.platform, knownNode(call.platform, call.parameter('nodeId'))),
  },
  {
    method: 'GET',
    path: '/overview/platform/service-view/:id',
    section: '10',
    mark: 'GUESS',
    handle: (call) => serviceView(call.platform, knownService(call.platform, call.parameter('id'))),
  },
];

/** Maximum number of samples of one series. */
export const samplesMax = 1_000;
const processesMax = 10;
const stepSecondsDefault = 60;
const seriesMsDefault = 3_600_000;

function load({ platform, query }: Call): readonly JsonObject[] {
  const node = knownNode(platform, query.required('nodeId'));
  const now = sampleOf(platform, node, platform.now());
  if (query.flag('instant') ?? false) return [now];
  // The simulator keeps no history: all samples are the current one.
  return timestampsOf({ platform, query }).map((timestamp) => ({ ...now, timestamp }));
}

function timestampsOf({ platform, query }: Pick<Call, 'platform' | 'query'>): readonly number[] {
  const timeOf = (name: string, otherwise: number) => {
    const value = query.text(name);
    if (value === undefined) return otherwise;
    const timeMs = parseMoment(value);
    if (timeMs === undefined) throw badRequest(name, 'should be a time');
    return timeMs;
  };
  const toMs = timeOf('endTime', platform.now());
  const fromMs = timeOf('startTime', toMs - seriesMsDefault);
  const stepMs = (query.integer('step') ?? stepSecondsDefault) * 1000;
  if (stepMs < 1000) throw badRequest('step', 'should be at least 1 second');
  if (fromMs > toMs) throw badRequest('startTime', 'should not be after endTime');
  const count = Math.floor((toMs - fromMs) / stepMs) + 1;
  if (count > samplesMax) throw badRequest('step', `should be longer: the limit is ${samplesMax} samples`);
  return Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
}

function sampleOf(platform: Platform, node: Node, timestamp: number): JsonObject {
  const usage = platform.usageOfNode(node);
  const { online, memoryTotalBytes, diskTotalBytes } = node;
  const { total, running } = usage.containers;
  return {
    timestamp,
    type: node.type,
    cpu: { percent: percentText(online ? usage.cpuPercent : 0) },
    rom: online ? diskShare(diskTotalBytes - usage.diskFreeBytes, diskTotalBytes) : share(0, 0),
    ram: online ? share(memoryTotalBytes - usage.memoryFreeBytes, memoryTotalBytes) : share(0, 0),
    processCount: online ? usage.processCount : 0,
    process: online ? processesOf(platform, node) : [],
    upNet: online ? usage.network.map(({ name, upBytes }) => ({ networkName: name, value: upBytes })) : [],
    downNet: online ? usage.network.map(({ name, downBytes }) => ({ networkName: name, value: downBytes })) : [],
    upTime: online ? usage.uptimeSeconds : 0,
    running: online ? running : 0,
    stop: online ? total - running : total,
  };
}

/** Highest CPU usage first. The processes of a simulated node are its containers. */
function processesOf(platform: Platform, node: Node): readonly JsonObject[] {
  return platform
    .containersOfNode(node.id)
    .filter((container) => platform.statusOf(container) === 'running')
    .map((container) => ({ name: container.name, usage: platform.usageOf(container) }))
    .sort((one, other) => other.usage.cpuPercent - one.usage.cpuPercent)
    .slice(0, processesMax)
    .map(({ name, usage }) => ({
      name,
      cpu: { percent: percentText(usage.cpuPercent) },
      ram: share(usage.memoryBytes, node.memoryTotalBytes),
    }));
}

function share(part: number, whole: number): JsonObject {
  return { percent: percentText(whole > 0 ? (100 * part) / whole : 0), size: part };
}

/** The size of the disk is in MB, unlike that of memory: a client of the platform prints it so. */
function diskShare(partBytes: number, wholeBytes: number): JsonObject {
  return { ...share(partBytes, wholeBytes), size: megabytes(partBytes) };
}

function percentText(percent: number): string {
  return percent.toFixed(2);
}
