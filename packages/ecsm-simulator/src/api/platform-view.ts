/** The dashboard's tree of a node: its containers, with their services. Its states differ from those of other calls. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Container, Node, Service } from '../platform/model.ts';
import { onlineStatus } from './node-rows.ts';

export function nodeView(platform: Platform, node: Node): JsonObject {
  const children = platform.containersOfNode(node.id).map((container) => {
    const service = platform.service(container.serviceId);
    return containerView(platform, container, service ? [serviceLeaf(platform, service)] : []);
  });
  return { ...nodeFields(node), children };
}

/** The nodes of a service, with its containers. The form is assumed: no source shows the real one. */
export function serviceView(platform: Platform, service: Service): JsonObject {
  const containers = platform.containersOfService(service.id);
  const children = [...new Set(containers.map(({ nodeId }) => nodeId))].flatMap((nodeId) => {
    const node = platform.node(nodeId);
    if (!node) return [];
    const here = containers.filter((container) => container.nodeId === nodeId);
    return [{ ...nodeFields(node), children: here.map((container) => containerView(platform, container, [])) }];
  });
  return { ...serviceLeaf(platform, service), self: true, children };
}

function nodeFields(node: Node): JsonObject {
  const { id, ip, port, name, type, arch, tls } = node;
  return { id, ip, port, name, type, arch, tls: tls ? 1 : 0, status: onlineStatus(node) };
}

function containerView(platform: Platform, container: Container, children: readonly JsonObject[]): JsonObject {
  return {
    id: container.taskId,
    name: container.name,
    node_id: container.nodeId,
    pro_id: container.serviceId,
    type: 'container',
    status: platform.statusOf(container) === 'running' ? 'running' : 'stop',
    config: JSON.stringify(platform.service(container.serviceId)?.image.config ?? {}),
    children,
  };
}

function serviceLeaf(platform: Platform, service: Service): JsonObject {
  return {
    id: service.id,
    name: service.name,
    type: 'service',
    status: platform.statusOfService(service) === 'deploying' ? 'deploying' : 'complete',
    health: platform.isHealthy(service),
  };
}
