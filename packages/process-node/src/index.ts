/** The public interface of the process node. */
export {
  type ClusterControllerName,
  type ClusterControllersOptions,
  clusterControllerNames,
  runClusterControllers,
} from './controllers/controllers.ts';
export { claimProtection, podIndexLabel, podNameLabel, revisionLabel } from './controllers/stateful-pods.ts';
export { createStorageClass, provisionerName, storageClassDefault } from './controllers/volume-provisioner.ts';
