/**
 * All operations of the simulated platform. `Platform` in platform.ts is this table with the world bound: each call
 * first processes all events that are due, so there are no timers. Lists are in order of creation; callers must not
 * change returned objects. An operation that is not possible throws a `Refusal` and changes nothing.
 */
import { type Behaviour, checkBehaviour } from './behaviour.ts';
import { deleteConfiguration, putConfiguration } from './configuration.ts';
import { controlContainer, killContainer, setContainerHealth, setCrashLoop } from './containers.ts';
import { failDeployments } from './deployment.ts';
import { isContainerHealthy, isServiceHealthy, scheduleLivenessRestart } from './health.ts';
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
  // --- State. ---
  nodes: (world: World): readonly model.Node[] => [...world.nodes.values()],
  node: (world: World, id: string): model.Node | undefined => world.nodes.get(id),
  nodeNamed: (world: World, name: string): model.Node | undefined => world.nodesByName.get(name),
  services: (world: World): readonly model.Service[] => [...world.services.values()],
  service: (world: World, id: string): model.Service | undefined => world.services.get(id),
  serviceNamed: (world: World, name: string): model.Service | undefined => world.servicesByName.get(name),
  container: (world: World, taskId: string): model.Container | undefined => world.containers.get(taskId),
  /** Container names are unique. */
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
  /** `name@tag#os` in the local registry; without `#os`, the first match. */
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
  /** The upload of the file with this hash. */
  uploadOfHash,

  // --- Derived state. ---
  /** The status that the API returns: null if the node is offline (see `offlineContainerStatus`). */
  statusOf(world: World, container: model.Container): model.ContainerStatus | null {
    const isUnknown = !isNodeOnline(world, container) && world.behaviour.offlineContainerStatus === 'null';
    return isUnknown ? null : container.status;
  },
  usageOf,
  usageOfNode,
  statusOfService: services.statusOfService,
  isHealthy: isServiceHealthy,
  isContainerHealthy,

  // --- Operations of users. ---
  createService: services.createService,
  updateService: (world: World, id: string, spec: model.ServiceSpec): services.Deployed =>
    services.updateService(world, id, spec),
  deleteService: services.deleteService,
  /** `POST /service/:action/ids` for one service; `destroy` deletes it. */
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
  /** Adds an image to a registry. Services with auto-upgrade are updated. */
  pushImage,
  deleteImage,
  addRegistry,
  syncImage,
  /** Adds one chunk of an upload; the last one creates the image. */
  uploadChunk,
  addTemplate: templates.addTemplate,
  updateTemplate: templates.updateTemplate,
  moveTemplate: templates.moveTemplate,
  deleteTemplate: templates.deleteTemplate,
  deployTemplate: templates.deployTemplate,
  putConfiguration,
  deleteConfiguration,
  setLoadBalance,

  // --- Faults and manual changes. ---
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
    // The change also applies to containers that are already unhealthy.
    if (change.livenessProbe === undefined) return;
    for (const container of world.containers.values()) scheduleLivenessRestart(world, container);
  },
};
