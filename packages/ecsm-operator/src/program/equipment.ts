/** Everything that a run of the program needs, opened in order and closed in reverse. */
import { type Log, MetricRegistry, openRegistry, type Registry, systemClock, systemRandom } from '@ecsm/runtime';
import { operatorKinds } from '../controller/kinds.ts';
import { Operator } from '../controller/operator.ts';
import type { ProgramOptions } from './options.ts';
import { transportOf } from './platform.ts';

export interface Equipment {
  readonly registry: Registry;
  readonly operator: Operator;
  readonly metrics: MetricRegistry;
}

export async function withEquipment<T>(
  options: ProgramOptions,
  log: Log,
  work: (equipment: Equipment) => Promise<T>,
): Promise<T> {
  const transport = transportOf(options, systemClock);
  try {
    const registry = await openRegistry(options.registry, { kinds: operatorKinds, log });
    try {
      const metrics = new MetricRegistry();
      const { observeMs, inFlightMax, workers, callTimeoutMs } = options;
      const operator = new Operator({
        registry,
        transport,
        clock: systemClock,
        random: systemRandom,
        log,
        metrics,
        settings: { observeMs, inFlightMax, workers, callTimeoutMs },
      });
      return await work({ registry, operator, metrics });
    } finally {
      await registry.close();
    }
  } finally {
    transport.close();
  }
}
