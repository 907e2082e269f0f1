/** The public interface of the Kubernetes client. */
export type { Connection, Trust } from './config/connection.ts';
export type { Credential, Credentials } from './config/credentials.ts';
export type { ClusterFields, ContextFields, UserFields } from './config/kubeconfig.ts';
export { type Kubeconfig, type KubeconfigSource, kubeconfigPaths, loadKubeconfig } from './config/load.ts';
export { type ConnectOptions, connectionOf, isKubernetesUrl } from './config/open.ts';
export { type ContextEntries, setContext, useContext } from './config/write.ts';
export { customResourceDefinition, type DefinitionOptions, type Validation } from './crd/definition.ts';
export { goPattern } from './crd/go-pattern.ts';
export type { CelRule } from './crd/structural.ts';
export { manifestYaml } from './crd/text.ts';
export {
  CustomResourceDefinition,
  type CustomResourceDefinitionInput,
} from './kinds/custom-resource-definition.ts';
export { Node } from './kinds/node.ts';
export { PersistentVolume } from './kinds/persistent-volume.ts';
export { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from './kinds/persistent-volume-claim.ts';
export { type Container, type ContainerStatus, Pod, type PodSpec, type PodStatus, type Volume } from './kinds/pod.ts';
export { PodDisruptionBudget } from './kinds/pod-disruption-budget.ts';
export { parseQuantity, quantity } from './kinds/quantity.ts';
export { Service, type ServiceSpec } from './kinds/service.ts';
export { StatefulSet, type StatefulSetSpec, type StatefulSetStatus } from './kinds/stateful-set.ts';
export { StorageClass, type StorageClassFields } from './kinds/storage-class.ts';
export { type OpenKubernetesOptions, openKubernetesRegistry } from './registry/open.ts';
export { KubernetesRegistry, type KubernetesRegistryOptions } from './registry/registry.ts';
export { KubernetesResource } from './registry/resource.ts';
export { RestClient, type RestOptions, type RestRequest, type RestResponse } from './rest/client.ts';
