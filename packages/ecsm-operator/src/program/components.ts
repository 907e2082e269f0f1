/** The resources of a run of the program, opened in order and closed in reverse order. */
import { serverKinds } from '@ecsm/apiserver/kinds';
import {
  ApiError,
  incompleteTransfer,
  type Log,
  MetricRegistry,
  openRegistry,
  processMetrics,
  type Registry,
  type Store,
  systemClock,
  systemRandom,
  WriteHealth,
} from '@ecsm/runtime';
import { operatorKinds } from '../apis/kinds.ts';
import { measureRegistry } from '../controller/metrics.ts';
import { Operator } from '../controller/operator.ts';
import type { ProgramOptions } from './options.ts';
import { prometheusTransports, transportOf } from './platform.ts';

export interface Components {
  readonly registry: Registry;
  readonly operator: Operator;
  readonly metrics: MetricRegistry;
  /** For readyz: why the registry cannot be written to, if it cannot. */
  readonly writes: Pick<WriteHealth, 'check'>;
}

export async function withComponents<T>(
  options: ProgramOptions,
  log: Log,
  work: (components: Components) => Promise<T>,
): Promise<T> {
  const transport = transportOf(options, systemClock);
  const prometheus = prometheusTransports(options, systemClock);
  try {
    // All kinds, also if they are served by another process: the garbage collector has to know every dependent.
    const kinds = new Set([...operatorKinds, ...serverKinds]);
    const opened = await openRegistry(options.registry, { kinds, log, manager: 'ecsm-operator' });
    const writes = new WriteHealth(opened);
    const { registry } = writes;
    try {
      const { storage } = opened.capabilities;
      if (storage) await refuseIncomplete(storage);
      const metrics = new MetricRegistry();
      processMetrics(metrics);
      measureRegistry(metrics, storage);
      const { observeMs, linkBudgetBytesPerSecond, autoscalingMs, restoreMs, inFlightMax, workers, callTimeoutMs } =
        options;
      const operator = new Operator({
        registry,
        transport,
        clock: systemClock,
        random: systemRandom,
        log,
        metrics,
        collectsGarbage: options.serve === undefined,
        settings: {
          observeMs,
          linkBudgetBytesPerSecond,
          autoscalingMs,
          restoreMs,
          inFlightMax,
          workers,
          callTimeoutMs,
        },
        prometheus,
      });
      return await work({ registry, operator, metrics, writes });
    } finally {
      await registry.close();
    }
  } finally {
    for (const one of [transport, ...prometheus.values()]) one.close();
  }
}

/** An incomplete registry looks like a complete one: services whose objects are missing would not be managed. */
export async function refuseIncomplete(store: Store): Promise<void> {
  const pending = await incompleteTransfer(store);
  if (pending === undefined) return;
  const { transfer, source, started } = pending;
  const what = transfer === 'unknown' ? 'transfer' : transfer;
  const reason = `the registry is incomplete: a ${what} of ${source}, started ${started}, was never finished. Repeat it, or delete the registry`;
  throw new ApiError('Forbidden', { reason });
}
