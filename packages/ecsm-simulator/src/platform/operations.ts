/**
 * Every operation of the simulated platform, declared once. `Platform` in platform.ts is this table with the world bound:
 * each call first lets everything happen that is due, so there are no timers. What an operation does is in the file of
 * its noun. Lists are in order of creation; callers must not change what is returned. An operation that cannot be carried
 * out throws a `Refusal` and changes nothing.
 */
import { type Behaviour, checkBehaviour } from './behaviour.ts';
import { deleteConfiguration, putConfiguration } from './configuration.ts';
import { controlContainer, killContainer, setContainerHealth, setCrashLoop } from './containers.ts';
import { failDeployments } from './deployment.ts';
import { isContainerHealthy, isServiceHealthy, watchHealth } from './health.ts';
import { addRegistry, deleteImage, imagesOf, pushImage, syncImage } from './images.ts';
import { isNodeOnline } from './instances.ts';
import { loadBalanceOf, setLoadBalance } from './load-balance.ts';
import type * as model from './model.ts';
import * as nodes from './nodes.ts';
import { deleteRecord } from './records.ts';
import * as services from './services.ts';
import * as templates from './templates.ts';
import { uploadChunk, uploadOfHash } from './uploads.ts';
import { usageOf, usageOfNode } from './usage.ts';
import type { World } from './world.ts';

export const operations = {
  // --- What it has. ---
  nodes: (world: World): readonly model.Node[] => [...world.nodes.values()],
  node: (world: World, id: string): model.Node | undefined => world.nodes.get(id),
  nodeNamed: (world: World, name: string): model.Node | undefined => world.nodesByName.get(name),
  services: (world: World): readonly model.Service[] => [...world.services.values()],
  service: (world: World, id: string): model.Service | undefined => world.services.get(id),
  serviceNamed: (world: World, name: string): model.Service | undefined => world.servicesByName.get(name),
  container: (world: World, taskId: string): model.Container | undefined => world.containers.get(taskId),
  /** Names of containers are unique. */
  containerNamed: (world: World, name: string): model.Container | undefined => world.containers.named(name),
  containersOfService: (world: World, serviceId: string): readonly model.Container[] => [
    ...world.containers.ofService(serviceId).values(),
  ],
  containersOfNode: (world: World, nodeId: string): readonly model.Container[] => [
    ...world.containers.onNode(nodeId).values(),
  ],
  registries: (world: World): readonly model.RemoteRegistry[] => [...world.registries.values()],
  images: (world: World, registryId: string): readonly model.Image[] => imagesOf(world, registryId),
  image(world: World, registryId: string, id: string): model.Image | undefined {
    const image = world.images.get(id);
    return image?.registryId === registryId ? image : undefined;
  },
  /** `name@tag#os` in the local registry; without `#os`, the first that fits. */
  imageByRef: (world: World, ref: string): model.Image | undefined => world.localImage(ref),
  recordsOf: (world: World, serviceId: string): readonly model.DeploymentRecord[] => [
    ...(world.recordsOfService.get(serviceId) ?? []),
  ],
  record: (world: World, id: string): model.DeploymentRecord | undefined => world.records.get(id),
  historyOf: (world: World, taskId: string): readonly model.HistoryEntry[] => [...(world.history.get(taskId) ?? [])],
  transaction: (world: World, id: string): model.Transaction | undefined => world.transactions.get(id),
  templates: (world: World): readonly model.Template[] => [...world.templates.values()],
  template: (world: World, id: string): model.Template | undefined => world.templates.get(id),
  configuration: (world: World): readonly model.ConfigurationEntry[] => [...world.configuration.values()],
  loadBalanceOf,
  sync: (world: World, id: string): model.Sync | undefined => world.syncs.get(id),
  upload: (world: World, id: string): model.Upload | undefined => world.uploads.get(id),
  /** The one that brings, or brought, the file of this hash. */
  uploadOfHash,

  // --- What follows from it. ---
  /** What the API reports: null where the node is offline (see `offlineContainerStatus`). */
  statusOf(world: World, container: model.Container): model.ContainerStatus | null {
    const isUnknown = !isNodeOnline(world, container) && world.behaviour.offlineContainerStatus === 'null';
    return isUnknown ? null : container.status;
  },
  usageOf,
  usageOfNode,
  statusOfService: services.statusOfService,
  isHealthy: isServiceHealthy,
  isContainerHealthy,

  // --- What a user of the platform does. ---
  createService: services.createService,
  updateService: (world: World, id: string, spec: model.ServiceSpec): services.Deployed =>
    services.updateService(world, id, spec),
  deleteService: services.deleteService,
  /** What `POST /service/:action/ids` does to one service; `destroy` deletes it. */
  controlService: (world: World, id: string, action: model.ContainerAction | 'destroy'): model.Transaction =>
    action === 'destroy' ? services.deleteService(world, id) : services.controlService(world, id, action),
  redeployService: services.redeployService,
  rollbackService: services.rollbackService,
  deleteRecord,
  controlContainer,
  addNode: nodes.addNode,
  updateNode: nodes.updateNode,
  deleteNodes: nodes.deleteNodes,
  refreshNodeTypes: nodes.refreshNodeTypes,
  /** An image arrives in a registry: uploaded, pushed or synchronised. Services with auto-upgrade follow. */
  pushImage,
  deleteImage,
  addRegistry,
  syncImage,
  /** One chunk of an upload; the image is there when the last one is. */
  uploadChunk,
  addTemplate: templates.addTemplate,
  updateTemplate: templates.updateTemplate,
  moveTemplate: templates.moveTemplate,
  deleteTemplate: templates.deleteTemplate,
  deployTemplate: templates.deployTemplate,
  putConfiguration,
  deleteConfiguration,
  setLoadBalance,

  // --- Faults, and what people do at the machine. ---
  killContainer,
  setCrashLoop,
  setContainerHealth,
  failDeployments,
  cutNode: (world: World, id: string): void => nodes.setNodeOnline(world, id, false),
  restoreNode: (world: World, id: string): void => nodes.setNodeOnline(world, id, true),
  fillNode: nodes.fillNode,
  setNodeTrueType: nodes.setNodeTrueType,
  setLoad: services.setLoad,
  setBehaviour(world: World, change: Partial<Behaviour>): void {
    checkBehaviour(change);
    world.behaviour = { ...world.behaviour, ...change };
    // Containers that were unhealthy while that had no consequences have them from now on.
    if (change.livenessProbe === undefined) return;
    for (const container of world.containers.values()) watchHealth(world, container);
  },
};
