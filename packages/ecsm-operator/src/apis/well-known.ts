/** Names with a meaning to the operator and to tools: annotations, the finalizer and the lease. */

/** Keeps an ECSMService until its services are deleted on the platform. */
export const platformFinalizer = 'ecsm.sh/platform-service';
/** `"true"` adopts a service on the platform that has the name of the ECSMService and no owner mark. */
export const adoptAnnotation = 'ecsm.sh/adopt';
/** A new value creates a new revision of the same template. */
export const restartedAtAnnotation = 'ecsm.sh/restartedAt';
/** The lease of the operator that leads. */
export const leaseName = 'ecsm-operator';
