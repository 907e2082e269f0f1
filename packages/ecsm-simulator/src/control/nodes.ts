/** Routes for nodes and their faults. */
import { shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Node } from '../platform/model.ts';
import { findNode } from './find.ts';
import { ControlError, numberFrom, readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

const os = shape.exactly('linux', 'sylixos');
const agentPort = 1112;

export const nodeRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/sim/nodes',
    does: 'adds a node; only the name is required',
    body: { name: 'node-9', type: 'sylixos', arch: 'arm64', cores: 4, memoryTotalBytes: 4_294_967_296 },
    handle({ platform, request }) {
      const node = readBody(request, {
        name: shape.string(),
        ip: shape.optional(shape.string()),
        port: shape.optional(numberFrom(1, 65_535)),
        password: shape.optional(shape.string()),
        tls: shape.optional(shape.boolean()),
        type: shape.optional(os),
        arch: shape.optional(shape.string()),
        cores: shape.optional(numberFrom(1, 1024)),
        memoryTotalBytes: shape.optional(numberFrom(1)),
        diskTotalBytes: shape.optional(numberFrom(1)),
      });
      const { id, name } = platform.addNode({ ip: freeAddress(platform), port: agentPort, password: '', ...node });
      return { node: name, id };
    },
  },
  {
    method: 'POST',
    path: '/sim/nodes/:node/cut',
    does: 'disconnects a node; its containers keep running, and dynamic services are moved after a delay',
    handle(call) {
      const { id } = findNode(call);
      call.platform.cutNode(id);
      return nodeFields(call.platform, id);
    },
  },
  {
    method: 'POST',
    path: '/sim/nodes/:node/restore',
    does: 'reconnects a node',
    handle(call) {
      const { id } = findNode(call);
      call.platform.restoreNode(id);
      return nodeFields(call.platform, id);
    },
  },
  {
    method: 'POST',
    path: '/sim/nodes/:node/fill',
    does: 'sets the memory or disk of a node that other programs use, in bytes or in percent of the total, and the number of foreign containers',
    body: { memoryPercent: 95, diskPercent: 50, containers: 3 },
    handle(call) {
      const node = findNode(call);
      const { memoryPercent, diskPercent, memoryBytes, diskBytes, containers } = readBody(call.request, {
        memoryBytes: shape.optional(numberFrom(0)),
        diskBytes: shape.optional(numberFrom(0)),
        memoryPercent: shape.optional(numberFrom(0, 100)),
        diskPercent: shape.optional(numberFrom(0, 100)),
        containers: shape.optional(numberFrom(0, 10_000)),
      });
      const memory = memoryBytes ?? part(node.memoryTotalBytes, memoryPercent);
      const disk = diskBytes ?? part(node.diskTotalBytes, diskPercent);
      call.platform.fillNode(node.id, {
        ...(memory === undefined ? {} : { memoryBytes: memory }),
        ...(disk === undefined ? {} : { diskBytes: disk }),
        ...(containers === undefined ? {} : { containers }),
      });
      return nodeFields(call.platform, node.id);
    },
  },
  {
    method: 'POST',
    path: '/sim/nodes/:node/type',
    does: 'sets the operating system that the next refresh of node types detects',
    body: { type: 'linux' },
    handle(call) {
      const { id, name } = findNode(call);
      const { type } = readBody(call.request, { type: os });
      call.platform.setNodeTrueType(id, type);
      return { node: name, trueType: type };
    },
  },
];

function part(total: number, percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : Math.round((total * percent) / 100);
}

function nodeFields(platform: Platform, id: string): Readonly<Record<string, unknown>> {
  const node: Node | undefined = platform.node(id);
  if (!node) throw new ControlError(404, `the node ${id} was deleted`);
  const { memoryFreeBytes, diskFreeBytes } = platform.usageOfNode(node);
  return { node: node.name, online: node.online, memoryFreeBytes, diskFreeBytes };
}

function freeAddress(platform: Platform): string {
  const taken = new Set(platform.nodes().map(({ ip }) => ip));
  for (let number = 1; ; number++) {
    const address = `10.99.${Math.floor(number / 250)}.${(number % 250) + 1}`;
    if (!taken.has(address)) return address;
  }
}
