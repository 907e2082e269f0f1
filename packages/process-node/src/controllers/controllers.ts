/**
 * The controllers of Kubernetes that pods of StatefulSets need, for registries without kube-controller-manager: tests,
 * simulations and demonstrations. They use the clock of the registry, so they also run on a virtual one.
 */
import { type ControllerContext, Informers, type Log, type Registry } from '@ecsm/runtime';
import { claimProtector } from './claim-protection.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { statefulSetController } from './stateful-set.ts';
import { claimBinder, volumeBinder } from './volume-binder.ts';
import { volumeDeleter, volumeProvisioner } from './volume-provisioner.ts';

const factories = {
  statefulSets: (log?: Log) => [statefulSetController(log)],
  volumes: (log?: Log) => [claimBinder(log), volumeBinder(log)],
  claimProtection: (log?: Log) => [claimProtector(log)],
  disruptionBudgets: (log?: Log) => [disruptionBudgetController(log)],
  /** Not part of kube-controller-manager: needed on a real cluster too. */
  provisioner: (log?: Log) => [volumeProvisioner(log), volumeDeleter(log)],
} as const;

export type ClusterControllerName = keyof typeof factories;

export const clusterControllerNames: readonly ClusterControllerName[] = [
  'statefulSets',
  'volumes',
  'claimProtection',
  'disruptionBudgets',
  'provisioner',
];

export interface ClusterControllersOptions {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** Default: all of them. */
  readonly only?: readonly ClusterControllerName[];
  /** Shared with others. Default: informers of their own. */
  readonly informers?: Informers;
  readonly log?: Log;
}

export interface ClusterController {
  readonly name: string;
  run(context: ControllerContext): Promise<void>;
}

/** New controllers, for a manager or a simulation to run. Default: all of them. */
export function clusterControllers(
  only: readonly ClusterControllerName[] = clusterControllerNames,
  log?: Log,
): readonly ClusterController[] {
  return only.flatMap((name): readonly ClusterController[] => factories[name](log));
}

/** Runs until the signal aborts. Garbage collection by owner references is `collectGarbage`'s. */
export async function runClusterControllers(options: ClusterControllersOptions): Promise<void> {
  const { registry, signal, log, only } = options;
  const informers = options.informers ?? new Informers({ registry, ...(log && { log }) });
  const controllers = clusterControllers(only, log);
  // A signal for each: Node.js warns of many listeners on one.
  const stops = controllers.map(() => new AbortController());
  const stop = () => {
    for (const each of stops) each.abort();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const run = (controller: ClusterController, index: number) =>
    controller.run({ registry, informers, signal: stops[index]?.signal ?? signal });
  await Promise.all(controllers.map(run));
}
