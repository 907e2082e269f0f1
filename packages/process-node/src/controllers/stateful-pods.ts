/** The pods and claims of a StatefulSet, as pure functions. */

import type { PersistentVolumeClaim, Pod, StatefulSet } from '@ecsm/kubernetes';
import { controllerReference, type InputOf } from '@ecsm/runtime';
import { revisionOf } from './revision.ts';

export const claimProtection = 'kubernetes.io/pvc-protection';
export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
export const podIndexLabel = 'apps.kubernetes.io/pod-index';
export const revisionLabel = 'controller-revision-hash';

/** The numbers that the pods of a StatefulSet have. */
export function ordinalsOf({ spec }: StatefulSet): readonly number[] {
  const start = spec.ordinals?.start ?? 0;
  return Array.from({ length: spec.replicas }, (_, index) => start + index);
}

export function podNameOf({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

export function updateRevisionOf({ metadata, spec }: StatefulSet): string {
  return revisionOf(metadata.name, spec.template);
}

export function isOwnedBy(pod: Pod, { metadata }: StatefulSet): boolean {
  return (pod.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === metadata.uid,
  );
}

/** The claims of a pod, one for each template. They have no owner: they stay when the pod or the set is deleted. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly InputOf<typeof PersistentVolumeClaim>[] {
  const { metadata, spec } = set;
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      name: claimNameOf(set, template.metadata?.name, ordinal),
      namespace: metadata.namespace,
      labels: { ...template.metadata?.labels, ...spec.selector.matchLabels },
      annotations: template.metadata?.annotations ?? {},
      finalizers: [claimProtection],
    },
    spec: template.spec,
  }));
}

/** A pod of the newest template. */
export function podOf(set: StatefulSet, ordinal: number): InputOf<typeof Pod> {
  const { metadata, spec } = set;
  const { template } = spec;
  const name = podNameOf(set, ordinal);
  const owner = { ...controllerReference(set), blockOwnerDeletion: true };
  const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata: { name: volume = '' } = {} }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: claimNameOf(set, volume, ordinal) },
  }));
  const isClaimed = (volume: string) => claimed.some((claim) => claim.name === volume);
  return {
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: {
        ...template.metadata?.labels,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
        [revisionLabel]: updateRevisionOf(set),
      },
      annotations: template.metadata?.annotations ?? {},
      ownerReferences: [owner],
    },
    spec: {
      ...template.spec,
      hostname: name,
      ...(spec.serviceName === undefined ? {} : { subdomain: spec.serviceName }),
      volumes: [...claimed, ...(template.spec.volumes ?? []).filter((volume) => !isClaimed(volume.name))],
    },
  };
}

function claimNameOf(set: StatefulSet, template: string | undefined, ordinal: number): string {
  return `${template ?? ''}-${podNameOf(set, ordinal)}`;
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** Such a pod never runs again. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

export function isTerminating({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
