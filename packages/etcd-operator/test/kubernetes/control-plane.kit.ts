/** A Kubernetes control plane with the definition of EtcdCluster, for a test file of its own: nothing has to be cleaned up. */
import { CustomResourceDefinition, type KubernetesRegistry, openKubernetesRegistry } from '@ecsm/kubernetes';
import { vi } from 'vitest';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../../kubernetes/test/kubernetes/control-plane.kit.ts';
import { startControllerManager } from '../../../kubernetes/test/kubernetes/controller-manager.kit.ts';
import { EtcdCluster, etcdClusterDefinition } from '../../src/index.ts';
import { allKinds } from '../world.kit.ts';

export interface EtcdControlPlane {
  readonly plane: ControlPlane;
  /** Of the administrator. */
  readonly registry: KubernetesRegistry;
  stop(): Promise<void>;
}

export async function startEtcdControlPlane(options: ControlPlaneOptions = {}): Promise<EtcdControlPlane> {
  const plane = await startControlPlane(options);
  const manager = startControllerManager(plane.kubeconfig);
  const registry = await openKubernetesRegistry('kubernetes:test', {
    kinds: [...allKinds, CustomResourceDefinition],
    kubeconfig: plane.kubeconfig,
    env: {},
  });
  await registry.resource(CustomResourceDefinition).apply(etcdClusterDefinition());
  const isServed = () =>
    registry
      .resource(EtcdCluster)
      .list()
      .then(
        () => true,
        () => false,
      );
  await vi.waitUntil(isServed, { timeout: 60_000 });
  return {
    plane,
    registry,
    async stop() {
      await registry.close();
      await manager.stop();
      await plane.stop();
    },
  };
}
