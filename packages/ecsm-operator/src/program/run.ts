/** `ecsm-operator run`: the controllers, with health and metrics, until a signal. */
import { hostname } from 'node:os';
import process from 'node:process';
import type { Serving } from '@ecsm/apiserver';
import {
  electedRunnable,
  LeaderElection,
  type Log,
  Manager,
  type Registry,
  type Runnable,
  withoutPassword,
} from '@ecsm/runtime';
import { leaseName, serverLeaseName } from '../apis/well-known.ts';
import type { Components } from './components.ts';
import { observation } from './observation.ts';
import type { ProgramOptions } from './options.ts';
import { presence } from './presence.ts';

/** Ends when the signal aborts, after what is in flight has ended; with an error if a part fails. */
export async function run(
  components: Components,
  options: ProgramOptions,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  log.write('info', 'operator starting', { registry: withoutPassword(options.registry), ecsm: options.ecsm });
  const manager = managerOf(components, options, log);
  // The server is a quarter of the program, and most operators do not serve.
  const serving = options.serve && (await (await import('./serve.ts')).serve(components, options.serve, log));
  for (const runnable of serving ? servingRunnables(serving, components, options, log) : []) manager.add(runnable);
  try {
    await manager.run({ signal });
  } finally {
    await serving?.close();
  }
  log.write('info', 'operator stopped');
}

/**
 * The controllers of a server have the same lease in every program that serves the registry, so that only one of them runs
 * these, regardless of which operator is the leader.
 */
function servingRunnables(
  { runnables }: Serving,
  { registry, metrics }: Components,
  { leaderElect, leaseMs }: ProgramOptions,
  log: Log,
): readonly Runnable[] {
  if (!leaderElect) return runnables;
  const election = electionOf(registry, serverLeaseName, identityOf(registry), leaseMs, log);
  const controllers = runnables.filter(({ needsLeader = true }) => needsLeader);
  const others = runnables.filter((runnable) => !controllers.includes(runnable));
  return [...others, electedRunnable('apiserver-controllers', controllers, { election, metrics, log })];
}

export function managerOf(components: Components, options: ProgramOptions, log: Log): Manager {
  const { registry, operator, metrics, writes } = components;
  const identity = identityOf(registry);
  const manager = new Manager({
    registry,
    log,
    metrics,
    readyChecks: { registry: () => writes.check(), ...operator.checks },
    ...(options.listen === undefined ? {} : { health: options.listen }),
    ...(options.leaderElect ? { election: electionOf(registry, leaseName, identity, options.leaseMs, log) } : {}),
  });
  if (!options.leaderElect) manager.add(presence({ identity, leaseName, log }));
  for (const runnable of operator.runnables) manager.add(runnable);
  const { poller } = operator.observer;
  manager.add(observation({ identity, observedMs: () => poller.observedMs, observeMs: options.observeMs, log }));
  return manager;
}

/** Of this process, as client-go writes it. */
export function identityOf({ random }: Registry): string {
  return `${hostname()}_${process.pid}_${random.uuid()}`;
}

/** Term and interval have the proportions of the defaults: 10 s and 2 s of a lease of 15 s. */
export function electionOf(
  registry: Registry,
  name: string,
  identity: string,
  leaseMs: number,
  log: Log,
): LeaderElection {
  return new LeaderElection({
    registry,
    name,
    identity,
    leaseMs,
    renewDeadlineMs: (leaseMs * 10) / 15,
    retryMs: (leaseMs * 2) / 15,
    log,
  });
}
