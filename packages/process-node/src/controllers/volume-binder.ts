/** Binds claims to the volumes that were made for them, and marks the volumes of deleted claims as released. */
import { PersistentVolume, PersistentVolumeClaim } from '@ecsm/kubernetes';
import { type ApiObject, Controller, deepEqual, isApiError, type Log, type Registry } from '@ecsm/runtime';
import { isTerminating } from './stateful-pods.ts';
import { volumeNameOf } from './volume-provisioner.ts';

/** For claims. */
export function claimBinder(log?: Log) {
  return new Controller({
    name: 'claim-binder',
    kind: PersistentVolumeClaim,
    watches: [{ kind: PersistentVolume, map: claimOf }],
    ...(log && { log }),
    reconcile: async (_, { get, registry }) => {
      const claim = await get();
      if (claim === undefined || isTerminating(claim)) return;
      const name = claim.spec.volumeName ?? volumeNameOf(claim);
      const volume = await found(registry.resource(PersistentVolume).get(name));
      const claims = registry.resource(PersistentVolumeClaim);
      const { namespace, uid } = claim.metadata;
      if (volume?.spec.claimRef?.uid !== uid) return writePhase(registry, claim, 'Pending');
      if (claim.spec.volumeName === undefined) {
        await claims.patch(claim.metadata.name, { spec: { volumeName: name } }, { namespace, uid });
      }
      // A directory has any size, so an enlarged claim has it at once.
      await writePhase(registry, claim, 'Bound');
    },
  });
}

/** For volumes. */
export function volumeBinder(log?: Log) {
  return new Controller({
    name: 'volume-binder',
    kind: PersistentVolume,
    watches: [{ kind: PersistentVolumeClaim, map: volumeOf }],
    ...(log && { log }),
    reconcile: async (_, { get, registry }) => {
      const volume = await get();
      const { claimRef } = volume?.spec ?? {};
      if (volume === undefined || claimRef === undefined) return;
      const { name = '', namespace = '' } = claimRef;
      const claim = await found(registry.resource(PersistentVolumeClaim).get(name, { namespace }));
      const phase = claim === undefined || claim.metadata.uid !== claimRef.uid ? 'Released' : 'Bound';
      if (volume.status?.phase === phase) return;
      await registry.resource(PersistentVolume).updateStatus({ metadata: volume.metadata, status: { phase } });
    },
  });
}

async function writePhase(registry: Registry, claim: PersistentVolumeClaim, phase: 'Pending' | 'Bound'): Promise<void> {
  const { accessModes = [], resources } = claim.spec;
  const capacity = { storage: resources?.requests?.['storage'] ?? '1Gi' };
  const status = phase === 'Bound' ? { phase, accessModes, capacity } : { phase };
  if (deepEqual(status, claim.status)) return;
  await registry.resource(PersistentVolumeClaim).updateStatus({ metadata: claim.metadata, status });
}

async function found<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function claimOf(object: ApiObject<unknown, unknown>) {
  const { name, namespace } = PersistentVolume.parse(object).spec.claimRef ?? {};
  return name === undefined || namespace === undefined ? [] : [{ name, namespace }];
}

function volumeOf(object: ApiObject<unknown, unknown>) {
  const { volumeName } = PersistentVolumeClaim.parse(object).spec;
  return volumeName === undefined ? [] : [{ name: volumeName }];
}
