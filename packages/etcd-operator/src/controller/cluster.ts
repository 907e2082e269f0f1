/** The passes over clusters: observe, decide, write the intent, act. */
import {
  NAMESPACE_DEFAULT,
  type ObjectName,
  type OperateOptions,
  operate,
  type Pass,
  type Decision as PassDecision,
  refused,
} from '@ecsm/runtime';
import { EtcdCluster, type EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { FINALIZER } from '../apis/well-known.ts';
import type { ClusterLabels } from '../client/metrics/client.ts';
import { CheckedObjects } from '../resource/checked-objects.ts';
import { invalidStatus } from '../service/cluster/cluster.ts';
import type { Action, Decision } from '../service/model.ts';
import type { MonitoringService } from '../service/monitoring/monitoring.ts';
import { statusOf } from '../service/monitoring/status.ts';
import { transitions } from '../service/monitoring/transitions.ts';
import { nextAction } from '../service/next-action.ts';
import type { SecurityObserved } from '../service/security/security.ts';
import { ClusterAccess, type ClusterAccessOptions, type ObservedCluster } from './cluster-access.ts';
import {
  ClusterLifecycleController,
  HealthController,
  RecoveryController,
  responsibleFor,
  ScalingController,
} from './cluster-triggers.ts';

interface ClusterOptions extends Omit<ClusterAccessOptions, 'registry'> {
  readonly monitoring: MonitoringService;
}

interface Memory {
  /** What was read from the Secrets: half of what a pass reads, and it changes once in months. */
  certificates: { readonly read: SecurityObserved; uses: number } | undefined;
  checked: CheckedObjects | undefined;
  /** Kubernetes refused to enlarge volumes to this size: asking again does not hold up other work. */
  resizeRefused: { readonly size: string | number; readonly message: string; readonly atMs: number };
  /** An object of the cluster has changed since it was read. */
  hasChanged: boolean;
}

type Step = (Action & { readonly decision: Decision }) | { readonly do: 'removePermission'; readonly why: string };

/**
 * Passes that use what was read once from the Secrets. A change of them is watched; at the default interval they are read
 * every five minutes nevertheless.
 */
export const certificateUsesMax = 9;
/** After this time volumes are enlarged again: the StorageClass may have been changed since. */
const resizeRetryMs = 600_000;

export function clusterOperation(options: ClusterOptions, common: Omit<OperateOptions, 'name'>) {
  const { clock, settings, monitoring } = options;
  const changed = (cluster: ObjectName) => {
    const memory = operation.memoryOf(cluster);
    if (memory) memory.hasChanged = true;
  };
  const operation = operate(
    {
      kind: EtcdCluster,
      finalizer: FINALIZER,
      triggers: [
        ClusterLifecycleController(settings, changed),
        ScalingController(settings),
        RecoveryController(settings),
        HealthController(settings),
      ],
      async observe(cluster: EtcdCluster, pass: Pass<Memory>): Promise<ObservedCluster> {
        const observed = await observe(cluster, pass, options);
        pass.defer(() => observed.etcd.close());
        monitoring.observed(labelsOf(pass), observed.input);
        return observed;
      },
      decide(cluster, { input }): PassDecision<EtcdClusterStatus, Step> {
        const decision = nextAction(input);
        // The permission was for one recovery. It is removed before the recovery is over: after a crash in between it would
        // allow another one.
        const isRecovered = input.recorded.recovery !== undefined && decision.recorded.recovery === undefined;
        if (isRecovered && input.wanted.recoverFrom !== undefined) {
          return { status: cluster.status, steps: [{ do: 'removePermission', why: 'it was for one recovery' }] };
        }
        const { action, events, requeueAfterMs } = decision;
        const isLast = action?.do === 'removeFinalizer';
        const status = isLast ? cluster.status : statusOf(cluster, input, decision);
        return {
          status,
          steps: action ? [{ ...action, decision }] : [],
          events: [...(status ? transitions(cluster.status, status) : []), ...events],
          hold: !isLast,
          ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
        };
      },
      async act(step: Step, cluster, observed, pass) {
        pass.memory.certificates = undefined;
        const access = new ClusterAccess({ ...options, registry: pass.registry });
        if (step.do === 'removePermission') {
          await access.removeRecoveryAnnotation(cluster);
          return 'done';
        }
        const refusal = await access.perform({ ...observed, cluster }, step, pass.signal);
        monitoring.acted(labelsOf(pass), step.do, refusal === undefined, clock.now());
        if (refusal === undefined) return 'done';
        if (step.do === 'enlargeVolume') {
          pass.memory.resizeRefused = { size: cluster.spec.storage.size, message: refusal, atMs: clock.now() };
        }
        return refused(refusal);
      },
      report(cluster, happened, nowMs) {
        if (happened.is === 'invalid') {
          const status = invalidStatus(cluster, happened.errors, nowMs);
          return { status, events: transitions(cluster.status, status), requeueAfterMs: settings.restMs };
        }
        const [step] = happened.done;
        if (happened.is !== 'done' || step === undefined || step.do === 'removePermission') return undefined;
        const { afterwards } = step.decision;
        if (afterwards === undefined) return undefined;
        const status = statusOf(cluster, happened.facts.input, { ...step.decision, recorded: afterwards });
        return { status, events: transitions(cluster.status, status) };
      },
      async gone(pass) {
        monitoring.forget(labelsOf(pass));
        return undefined;
      },
    },
    { ...common, name: 'cluster' },
  );
  return operation;
}

/** Reads a cluster. What earlier passes have read of a cluster at rest is not read again. */
async function observe(cluster: EtcdCluster, pass: Pass<Memory>, options: ClusterOptions) {
  const { registry, signal, memory } = pass;
  const { clock, settings } = options;
  const access = new ClusterAccess({ ...options, registry });
  if (memory.hasChanged) {
    memory.certificates = undefined;
    memory.checked = undefined;
    memory.hasChanged = false;
  }
  memory.checked ??= new CheckedObjects(clock, settings.restMs / 2);
  const { resizeRefused: refusal, checked, certificates } = memory;
  const isRefused =
    refusal !== undefined && refusal.size === cluster.spec.storage.size && clock.now() < refusal.atMs + resizeRetryMs;
  const known = { checked, resizeRefused: isRefused ? refusal.message : undefined };
  // A spec that was not observed yet may want other names in them.
  const isAtRest = responsibleFor(cluster) === 'health';
  if (pass.mayUseCache && isAtRest && certificates && certificates.uses < certificateUsesMax) {
    certificates.uses++;
    pass.usedCache();
    return access.observe(cluster, signal, { ...known, certificates: certificates.read });
  }
  const observed = await access.observe(cluster, signal, known);
  memory.certificates = { read: observed.security, uses: 0 };
  return observed;
}

function labelsOf({ namespace = NAMESPACE_DEFAULT, name }: ObjectName): ClusterLabels {
  return { namespace, cluster: name };
}
