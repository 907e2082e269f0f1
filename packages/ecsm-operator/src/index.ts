/** The public face of the operator: its kinds, and what runs them. */
export { ECSMService, type ECSMServiceInput } from './apis/ecsm-service.ts';
export { ECSMHpa, type ECSMHpaInput } from './apis/hpa.ts';
export { operatorKinds } from './apis/kinds.ts';
export { type CapacityStatus, OperatorIdentity } from './apis/operator-identity.ts';
export { ServiceRevision } from './apis/service-revision.ts';
export { adoptAnnotation, leaseName, platformFinalizer, restartedAtAnnotation } from './apis/well-known.ts';
export { Operator, type OperatorController, type OperatorOptions } from './controller/operator.ts';
export { type OperatorSettings, type OperatorSettingsInput, operatorSettings } from './controller/settings.ts';
export type { Unsettled } from './controller/settled.ts';
export { revisionHash } from './resource/hash.ts';
export { type OwnerIdentity, ownerVariable, readMark, revisionVariable } from './resource/mark.ts';
export type { Mark } from './resource/model.ts';
export { isNameOf, type OwnerKey, ownerKeysOf, platformName } from './resource/naming.ts';
export { explainedText } from './resource/platform-text.ts';
export { formatPlan } from './service/format-plan.ts';
export { type HealingReason, waitLeftMs } from './service/healing-backoff.ts';
export type { Plan, PlanSettings, Step } from './service/model.ts';
export type { PlacementNode, PlacementService } from './service/placement/model.ts';
export { place } from './service/placement/placement.ts';
export { reasons } from './service/reasons.ts';
export { defaultPlanSettings } from './service/settings.ts';
export { NodeMetrics, PodMetrics } from './views/metrics-kinds.ts';
export { Node } from './views/node-kind.ts';
export {
  type PlatformViews,
  type PlatformViewsOptions,
  platformViews,
  type ViewTarget,
} from './views/platform-views.ts';
export { Pod } from './views/pod-kind.ts';
export { podSubresourceReason } from './views/subresources.ts';
export type { ReadOnlyResource } from './views/view.ts';
