/** `etcd-operator run`: the controllers, with health and metrics, until a signal; with `--once`, until all is done. */
import { hostname } from 'node:os';
import process from 'node:process';
import type { Run, Terminal } from '@ecsm/command-line';
import { openKubernetesRegistry } from '@ecsm/kubernetes';
import {
  jsonLog,
  LeaderElection,
  type Log,
  Manager,
  MetricRegistry,
  processMetrics,
  type Registry,
  readableLog,
  sampledLog,
  sleep,
  untilSignal,
  WriteHealth,
} from '@ecsm/runtime';
import { OPERATOR_NAME } from '../apis/well-known.ts';
import { EtcdOperator, operatorKinds } from '../controller/operator.ts';
import { type ProgramOptions, runOptions } from './options.ts';

const pollMs = 200;

export const run: Run = async (call) => {
  const options = await runOptions(call);
  const { terminal } = call;
  const log = logOf(options, terminal);
  return untilSignal(
    async (signal) => {
      const { kubeconfig, context = '' } = options;
      const env = kubeconfig === undefined ? terminal.env : { ...terminal.env, KUBECONFIG: kubeconfig };
      const opened = await openKubernetesRegistry(`kubernetes:${context}`, {
        kinds: operatorKinds,
        env,
        log,
        manager: OPERATOR_NAME,
      });
      const writes = new WriteHealth(opened);
      try {
        return await work(writes, options, log, signal, terminal);
      } finally {
        await writes.registry.close();
      }
    },
    { log },
  );
};

async function work(
  writes: WriteHealth,
  options: ProgramOptions,
  log: Log,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const { registry } = writes;
  const metrics = new MetricRegistry();
  processMetrics(metrics);
  const { namespace, workers, healthMs, callTimeoutMs } = options;
  const operator = new EtcdOperator({
    registry,
    log,
    metrics,
    workerImage: options.workerImage,
    settings: { workers, callTimeoutMs, restMs: healthMs },
    ...(namespace === undefined ? {} : { namespace }),
  });
  const manager = new Manager({
    registry,
    log,
    metrics,
    readyChecks: { kubernetes: () => writes.check() },
    ...(options.listen === undefined ? {} : { health: options.listen }),
    ...(options.leaderElect ? { election: electionOf(registry, options, log) } : {}),
  });
  for (const runnable of operator.runnables) manager.add(runnable);
  log.write('info', 'operator starting', { namespace: namespace ?? 'all' });
  if (options.isOnce) return once(operator, manager, options, signal, terminal);
  await manager.run({ signal });
  log.write('info', 'operator stopped');
  return 0;
}

async function once(
  operator: EtcdOperator,
  manager: Manager,
  { timeoutMs }: ProgramOptions,
  signal: AbortSignal,
  { out, err, clock }: Terminal,
): Promise<number> {
  const end = new AbortController();
  const stop = () => end.abort();
  signal.addEventListener('abort', stop, { once: true });
  const cancel = clock.after(timeoutMs, stop);
  const working = manager.run({ signal: end.signal }).finally(stop);
  // A failure is thrown below, where it is awaited.
  working.catch(() => {});
  let unsettled = await operator.unsettled();
  try {
    while (!end.signal.aborted && unsettled.length > 0) {
      await sleep(clock, pollMs, end.signal);
      unsettled = await operator.unsettled();
    }
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    stop();
    await working;
  }
  if (unsettled.length === 0) {
    out.write('every cluster is as its spec says\n');
    return 0;
  }
  const why = signal.aborted ? 'interrupted' : `timed out after ${timeoutMs / 1000} s`;
  const lines = unsettled.map(({ namespace, name, why: reason }) => `  ${namespace}/${name}: ${reason}\n`).join('');
  err.write(`etcd-operator: ${why}: clusters that are not as their spec says:\n${lines}`);
  return 1;
}

/** Term and interval have the proportions of the defaults: 10 s and 2 s of a lease of 15 s. */
function electionOf(registry: Registry, { leaseMs, leaseNamespace }: ProgramOptions, log: Log): LeaderElection {
  return new LeaderElection({
    registry,
    name: OPERATOR_NAME,
    namespace: leaseNamespace,
    // Of this process, as client-go writes it.
    identity: `${hostname()}_${process.pid}_${registry.random.uuid()}`,
    leaseMs,
    renewDeadlineMs: (leaseMs * 10) / 15,
    retryMs: (leaseMs * 2) / 15,
    log,
  });
}

function logOf({ logFormat, logLevel }: ProgramOptions, { err }: Terminal): Log {
  const options = { write: (line: string) => err.write(line), level: logLevel };
  return sampledLog(logFormat === 'json' ? jsonLog(options) : readableLog({ ...options, colour: err.isColoured }));
}
