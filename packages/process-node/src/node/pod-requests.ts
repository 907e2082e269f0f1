/**
 * What the contract of registries does not have, and an API server of Kubernetes needs: the binding of a pod to a node,
 * and the deletion of a pod that has stopped.
 *
 * A finalizer keeps a pod that is deleted until its processes have ended. An API server of Kubernetes does so by itself, with
 * the grace period; other registries do not.
 */
import { KubernetesRegistry, Pod } from '@ecsm/kubernetes';
import { isApiError, type Registry } from '@ecsm/runtime';

export const podFinalizer = 'process-node.ecsm.io/processes';

/** Throws `Conflict` if the pod has changed since it was read. */
export async function bindPod(registry: Registry, pod: Pod, node: string): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = pod.metadata;
  const metadata = { finalizers: [...finalizers.filter((each) => each !== podFinalizer), podFinalizer] };
  const pods = registry.resource(Pod);
  if (!(registry instanceof KubernetesRegistry)) {
    const precondition = { namespace, uid, resourceVersion };
    await pods.patch(name, { metadata, spec: { nodeName: node } }, precondition);
    return;
  }
  await pods.patch(name, { metadata }, { namespace, uid, resourceVersion });
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target };
  try {
    await registry.client.request({ method: 'POST', path, body });
  } catch (error) {
    // Our own API server has no bindings.
    if (!isApiError(error, 'Rejected')) throw error;
    await pods.patch(name, { spec: { nodeName: node } }, { namespace, uid });
  }
}

/** Adds the finalizer to a pod that another scheduler has bound. */
export async function protectPod(registry: Registry, { metadata }: Pod): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = metadata;
  const patch = { metadata: { finalizers: [...finalizers, podFinalizer] } };
  await registry.resource(Pod).patch(name, patch, { namespace, uid, resourceVersion });
}

/** Removes a pod that is being deleted and has no process any more. */
export async function removePod(registry: Registry, { metadata }: Pod): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = metadata;
  try {
    if (finalizers.includes(podFinalizer)) {
      const patch = { metadata: { finalizers: finalizers.filter((each) => each !== podFinalizer) } };
      await registry.resource(Pod).patch(name, patch, { namespace, uid, resourceVersion });
    }
    if (!(registry instanceof KubernetesRegistry)) return;
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
    await registry.client.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods/${name}`, body });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
