/** Keeps a claim that is being deleted until no pod uses it, with the finalizer `kubernetes.io/pvc-protection`. */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { type ApiObject, Controller, type Log, withFinalizer } from '@ecsm/runtime';
import { claimProtection, hasEnded } from './stateful-pods.ts';

export function claimProtector(log?: Log) {
  return new Controller({
    name: 'claim-protector',
    kind: PersistentVolumeClaim,
    watches: [{ kind: Pod, map: claimsUsedBy }],
    ...(log && { log }),
    reconcile: async ({ name, namespace }, { get, registry }) => {
      const claim = await get();
      if (claim === undefined) return;
      return withFinalizer(registry.resource(PersistentVolumeClaim), claim, claimProtection, {
        apply: async () => {},
        cleanup: async () => {
          const { items } = await registry.resource(Pod).list({ namespace });
          const users = items.filter((pod) => isUsing(pod, name));
          // The next change of one of these pods enqueues the claim; the delay is for a change that was missed.
          return users.length > 0 ? { requeueAfterMs: retryMs } : undefined;
        },
      });
    },
  });
}

const retryMs = 5_000;

/** A pod without a node does not use its claims yet. */
function isUsing(pod: Pod, claim: string): boolean {
  return pod.spec.nodeName !== undefined && !hasEnded(pod) && claimNamesOf(pod).includes(claim);
}

function claimNamesOf({ spec }: Pick<Pod, 'spec'>): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));
}

function claimsUsedBy(object: ApiObject<unknown, unknown>) {
  const { namespace } = object.metadata;
  return claimNamesOf(Pod.parse(object)).map((name) => ({ name, namespace }));
}
