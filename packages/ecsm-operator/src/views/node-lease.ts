/** Converts a node of the platform to the Lease that a kubelet would renew: `kubectl describe node` shows it. */
import { type ApiObject, Lease, timestampAt } from '@ecsm/runtime';
import { nodeLeaseNamespace } from '../apis/well-known.ts';
import { metadataOf, type NodeFacts, type Observation } from './facts.ts';
import { nodeNameOf } from './names.ts';

/** As kubelets set it. */
const leaseDurationSeconds = 40;

export type LeaseSpec = ReturnType<typeof Lease.parse>['spec'];

/** Renewed when the platform last reported the node. */
export function nodeLeaseOf(facts: NodeFacts, observation: Observation): ApiObject<LeaseSpec, unknown> {
  const { row, heartbeatMs } = facts;
  const name = nodeNameOf(row.name);
  const createdMs = observation.timeOf(row.createdTime);
  return {
    apiVersion: Lease.apiVersion,
    kind: Lease.kind,
    metadata: metadataOf({ name, namespace: nodeLeaseNamespace, uid: `${row.id}-lease`, createdMs }, observation),
    spec: { holderIdentity: name, leaseDurationSeconds, renewTime: microTimeOf(heartbeatMs) },
  };
}

/** Times of leases have microseconds in Kubernetes. */
function microTimeOf(timeMs: number): string {
  return timestampAt(timeMs).replace('Z', '.000000Z');
}
