/** The kinds alone, as `@ecsm/operator/kinds`: for programs that use objects without an operator. */
export { ECSMService, type ECSMServiceInput } from './ecsm-service.ts';
export { ECSMHpa, type ECSMHpaInput } from './hpa.ts';
export { operatorKinds } from './kinds.ts';
export { type CapacityStatus, OperatorIdentity } from './operator-identity.ts';
export { ServiceRevision } from './service-revision.ts';
export {
  adoptAnnotation,
  leaseName,
  observationName,
  orphanAnnotation,
  platformFinalizer,
  presenceName,
  restartedAtAnnotation,
} from './well-known.ts';
