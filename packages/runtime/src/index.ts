/** The public face of the runtime. Stores and their libraries are loaded only when a registry of theirs is opened. */
export * from './api/condition.ts';
export { cronFormat, timeZoneFormat } from './api/cron-format.ts';
export * from './api/errors.ts';
export * from './api/field-selector.ts';
export { isPlainObject, JSON_DEPTH_MAX, type JsonObject, type JsonValue, ownValue, setOwn } from './api/json.ts';
export * from './api/kind.ts';
export { ambiguity, KindSet, qualifiedPlural } from './api/kind-set.ts';
export { type ApplyRequest, type ApplyResult, apply as applyConfiguration } from './api/managed-fields/apply.ts';
export type { ManagedFieldsEntry } from './api/managed-fields/entries.ts';
export { lastAppliedAnnotation } from './api/managed-fields/migration.ts';
export { type Manifest, readManifests } from './api/manifest/manifest.ts';
export { readPlainJson } from './api/manifest/plain-json.ts';
export {
  formatManifestError,
  type ManifestError,
  validateManifest,
} from './api/manifest/validate.ts';
export { createMergePatch, deepEqual, mergePatch } from './api/merge.ts';
export type { Metadata, ObjectMetadataInput, OwnerReference, Scope } from './api/metadata.ts';
export { metadataSchema, NAMESPACE_DEFAULT } from './api/metadata.ts';
export * from './api/names.ts';
export type { ApiObject, ObjectInput } from './api/object.ts';
export { formatPath, type PathSegment, parsePath, valueAt } from './api/path.ts';
export { PriorityClass } from './api/priority-class.ts';
export * as schema from './api/schema/build.ts';
export { applyDefaults } from './api/schema/defaults.ts';
export { toJsonSchema } from './api/schema/json-schema.ts';
export { type Pruned, prune } from './api/schema/prune.ts';
export type {
  AnythingSchema,
  BooleanSchema,
  Defaulted,
  Infer,
  Input,
  IntegerOrStringSchema,
  ListSchema,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  Optional,
  Schema,
  StringSchema,
} from './api/schema/schema.ts';
export { secretPaths, withoutSecrets, withRemovedSecrets } from './api/secrets.ts';
export * from './api/selector.ts';
export { parseLabelSelector } from './api/selector-parser.ts';
export * from './controller/contract.ts';
export { Controller } from './controller/controller.ts';
export { countOf, Event, type EventFields, type EventObject, firstSeenOf, lastSeenOf } from './controller/event.ts';
export { type EventPrunerOptions, eventPruner } from './controller/event-pruner.ts';
export { type FinalizerSteps, withFinalizer } from './controller/finalizer.ts';
export {
  type Decision,
  type Ended,
  type Enqueue,
  type Happened,
  type OperateOptions,
  type Operation,
  type Operator,
  operate,
  type Pass,
  type Planned,
  type PlannedEvent,
  type PlannedStep,
  type Report,
  refused,
  type StepResult,
  type Trigger,
  unknown,
} from './controller/operate.ts';
export type { Outcome, ReconcileResult } from './controller/outcome.ts';
export { annotationsChanged, generationChanged, labelsChanged, type Predicate } from './controller/predicate.ts';
export { EventRecorder, type RecorderOptions } from './controller/recorder.ts';
export {
  controllerReference,
  type MapName,
  type MapObject,
  type ObjectName,
  ownedBy,
  type Watch,
  watchOf,
} from './controller/source.ts';
export { type ChangeHandler, Informer, type InformerOptions, type InformerState } from './informer/informer.ts';
export { Informers, type InformersOptions, type InformerUse } from './informer/informers.ts';
export type { Change as InformerChange } from './informer/versions.ts';
export { formatAge } from './lib/age.ts';
export { Backoff, backoffMs } from './lib/backoff.ts';
export { BoundedMap } from './lib/bounded-map.ts';
export { connectionErrorCode, describeConnectionError } from './lib/connection-error.ts';
export { nearest } from './lib/nearest.ts';
export { timeMsOf } from './lib/time.ts';
export type { Check, Checks } from './manager/checks.ts';
export { electedRunnable } from './manager/elected.ts';
export { type ElectionState, LeaderElection, type LeaderElectionOptions } from './manager/election.ts';
export { garbageCollector } from './manager/garbage-collector.ts';
export { type HealthAddress, HealthServer } from './manager/health.ts';
export { Lease, leaseMsOf } from './manager/lease.ts';
export { jsonLog, readableLog, withFields } from './manager/log.ts';
export { type SamplingOptions, sampledLog } from './manager/log-sampling.ts';
export { Manager, type ManagerOptions } from './manager/manager.ts';
export { MetricRegistry } from './manager/metrics.ts';
export { processMetrics } from './manager/process-metrics.ts';
export type { RunContext, Runnable } from './manager/runnable.ts';
export { untilSignal } from './manager/signals.ts';
export { type StandardMetrics, standardMetrics } from './manager/standard-metrics.ts';
export { WriteHealth } from './manager/write-health.ts';
export * from './ports/clock.ts';
export * from './ports/log.ts';
export * from './ports/random.ts';
export { hidden } from './redact/mark.ts';
export { isSecretName } from './redact/names.ts';
export { redactText } from './redact/text.ts';
export { redact, redactNamed, type SecretMarks } from './redact/value.ts';
export { asJson } from './registry/codec.ts';
export { decodeContinue, encodeContinue } from './registry/continue-token.ts';
export * from './registry/contract.ts';
export { EmbeddedRegistry, type EmbeddedRegistryOptions } from './registry/embedded.ts';
export { collectGarbage, sweepGarbage } from './registry/garbage.ts';
export { keyOf, locate, type Place } from './registry/keys.ts';
export { type OpenOptions, openRegistry, type StoreTuning } from './registry/open.ts';
export type { PropagationPolicy } from './registry/propagation.ts';
export type { Shape, Shaped } from './shape/shape.ts';
export * as shape from './shape/shape.ts';
export type {
  Change,
  Commit,
  CommitOutcome,
  Damage,
  Entry,
  EntryPage,
  Revision,
  Store,
  StoreProblem,
  WatchOptions,
  Write,
} from './store/contract.ts';
export { limits } from './store/contract.ts';
export { MemoryStore, type MemoryStoreOptions } from './store/memory/store.ts';
export { defaultStoreUrl, ecsmHome, parseStoreUrl, type StoreUrl, withoutPassword } from './store/url.ts';
export { type BackupOptions, backup } from './transfer/backup.ts';
export type { BackupHeader, BackupSummary } from './transfer/format.ts';
export type { KindCount } from './transfer/kind-counter.ts';
export { type IncompleteTransfer, incompleteTransfer } from './transfer/marker.ts';
export { type MigrateOptions, type MigrationSummary, migrate } from './transfer/migrate.ts';
export type { TransferOptions, TransferProgress } from './transfer/progress.ts';
export {
  type BackupSource,
  type RestoreOptions,
  type RestoreSummary,
  restore,
  type VerifyOptions,
  verifyBackup,
} from './transfer/restore.ts';
export { type RegistryStatus, registryStatus } from './transfer/status.ts';
export {
  type AddOptions,
  type QueueItem,
  type QueueObserver,
  WorkQueue,
  type WorkQueueOptions,
} from './workqueue/queue.ts';
