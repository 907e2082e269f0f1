/** The public interface of the process node. */
export {
  type ClusterController,
  type ClusterControllerName,
  type ClusterControllersOptions,
  clusterControllerNames,
  clusterControllers,
  runClusterControllers,
} from './controllers/controllers.ts';
export { claimProtection, podIndexLabel, podNameLabel, revisionLabel } from './controllers/stateful-pods.ts';
export { createStorageClass, provisionerName, storageClassDefault } from './controllers/volume-provisioner.ts';
export type { Binaries } from './node/container-command.ts';
export type { Signal } from './node/container-process.ts';
export type { RestartBackoff } from './node/container-runner.ts';
export { processNodeKinds } from './node/kinds.ts';
export type { NameLookup } from './node/name-lookup.ts';
export { podFinalizer } from './node/pod-requests.ts';
export type { RunningContainer } from './node/pod-worker.ts';
export { type PodFacts, type ProcessNode, type ProcessNodeOptions, startProcessNode } from './node/process-node.ts';
