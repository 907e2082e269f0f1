/** Names with a meaning to the operator and to tools: annotations, labels, the finalizer, the lease, a namespace. */

/** Keeps an ECSMService until its services are deleted on the platform. */
export const platformFinalizer = 'ecsm.sh/platform-service';
/** `"true"` adopts a service on the platform that has the name of the ECSMService and no owner mark. */
export const adoptAnnotation = 'ecsm.sh/adopt';
/** `"true"`: when the ECSMService is deleted, its services stay on the platform. */
export const orphanAnnotation = 'ecsm.sh/orphan';
/** A new value creates a new revision of the same template. */
export const restartedAtAnnotation = 'ecsm.sh/restartedAt';
/** The lease of the operator that leads. */
export const leaseName = 'ecsm-operator';
/** The record of an operator that runs without an election of leaders. */
export const presenceName = 'ecsm-operator-presence';
/** The record of when the platform was last observed. */
export const observationName = 'ecsm-operator-observation';
/** The lease of the server that collects garbage, removes old events and deletes the contents of namespaces. */
export const serverLeaseName = 'ecsm-apiserver';

/** On objects that are derived from the platform, while it cannot be read: when it was last read. */
export const observedAtAnnotation = 'ecsm.sh/observed-at';
/** On nodes and pods whose names on the platform differ from those of their objects. */
export const platformNameAnnotation = 'ecsm.sh/platform-name';
/** The ECSMService of a pod; without one, the name of its service on the platform. */
export const serviceLabel = 'ecsm.sh/service';
/** The revision of the template that a pod was created from. */
export const revisionLabel = 'ecsm.sh/revision';
/** The namespace of pods that belong to no ECSMService of this registry. */
export const unmanagedNamespace = 'ecsm-unmanaged';
/** The namespace of the leases of nodes, in which `kubectl describe node` looks for their heartbeats. */
export const nodeLeaseNamespace = 'kube-node-lease';
