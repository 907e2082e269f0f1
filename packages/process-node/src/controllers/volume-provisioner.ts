/**
 * Makes a PersistentVolume for each claim of its storage class, and deletes it when its claim is gone, as a provisioner
 * outside of Kubernetes does. The content of the volumes is the node's.
 */
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@ecsm/kubernetes';
import { Controller, isApiError, type Log, type Registry } from '@ecsm/runtime';
import { isTerminating } from './stateful-pods.ts';

export const provisionerName = 'process-node.ecsm.io/directory';
export const storageClassDefault = 'standard';
const provisionedBy = 'pv.kubernetes.io/provisioned-by';
const defaultClass = 'storageclass.kubernetes.io/is-default-class';

/** Creates the storage class, the default one, unless there is one of its name. */
export async function createStorageClass(registry: Registry): Promise<void> {
  const metadata = { name: storageClassDefault, annotations: { [defaultClass]: 'true' } };
  const fields = { provisioner: provisionerName, allowVolumeExpansion: true };
  try {
    await registry.resource(StorageClass).create(StorageClass.input(metadata, fields));
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

export function volumeNameOf(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`;
}

/** For claims. Pairs with `volumeDeleter`. */
export function volumeProvisioner(log?: Log) {
  return new Controller({
    name: 'volume-provisioner',
    kind: PersistentVolumeClaim,
    ...(log && { log }),
    reconcile: async (_, { get, registry }) => {
      const claim = await get();
      if (claim === undefined || isTerminating(claim) || claim.spec.volumeName !== undefined) return;
      const reclaimPolicy = await reclaimPolicyOf(registry, claim.spec.storageClassName);
      if (reclaimPolicy === undefined) return;
      const { name, namespace, uid } = claim.metadata;
      const volume = volumeNameOf(claim);
      const { storageClassName, volumeMode, accessModes = [], resources } = claim.spec;
      try {
        await registry.resource(PersistentVolume).create({
          metadata: { name: volume, annotations: { [provisionedBy]: provisionerName } },
          spec: {
            capacity: { storage: resources?.requests?.['storage'] ?? '1Gi' },
            accessModes,
            persistentVolumeReclaimPolicy: reclaimPolicy,
            ...(storageClassName === undefined ? {} : { storageClassName }),
            volumeMode,
            claimRef: { apiVersion: 'v1', kind: PersistentVolumeClaim.kind, namespace, name, uid },
            hostPath: { path: `/var/lib/process-node/${volume}` },
          },
        });
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      }
    },
  });
}

/** For volumes: deletes those that their claims have left. */
export function volumeDeleter(log?: Log) {
  return new Controller({
    name: 'volume-deleter',
    kind: PersistentVolume,
    ...(log && { log }),
    reconcile: async ({ name }, { get, registry }) => {
      const volume = await get();
      if (volume?.metadata.annotations?.[provisionedBy] !== provisionerName) return;
      if (volume.status?.phase !== 'Released' || volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return;
      await registry.resource(PersistentVolume).delete(name, { uid: volume.metadata.uid });
    },
  });
}

/** Undefined for a class of another provisioner, or one that does not exist. Without a class the claim is ours. */
async function reclaimPolicyOf(registry: Registry, name: string | undefined): Promise<'Delete' | 'Retain' | undefined> {
  if (name === undefined) return 'Delete';
  if (registry.kinds.find(StorageClass.apiVersion, StorageClass.kind) === undefined) return 'Delete';
  try {
    const { provisioner, reclaimPolicy } = StorageClass.fieldsOf(await registry.resource(StorageClass).get(name));
    return provisioner === provisionerName ? reclaimPolicy : undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
