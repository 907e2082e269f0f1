/** The public interface of the Kubernetes client. */
export type { Connection, Trust } from './config/connection.ts';
export type { Credential, Credentials } from './config/credentials.ts';
export type { ClusterFields, ContextFields, UserFields } from './config/kubeconfig.ts';
export { type Kubeconfig, type KubeconfigSource, kubeconfigPaths, loadKubeconfig } from './config/load.ts';
export { type ConnectOptions, connectionOf, isKubernetesUrl } from './config/open.ts';
export { type ContextEntries, setContext, useContext } from './config/write.ts';
export { type OpenKubernetesOptions, openKubernetesRegistry } from './registry/open.ts';
export { KubernetesRegistry, type KubernetesRegistryOptions } from './registry/registry.ts';
export { KubernetesResource } from './registry/resource.ts';
export { RestClient, type RestOptions, type RestRequest, type RestResponse } from './rest/client.ts';
