/** `ecsm-operator --once`: reconciles until every service is settled, or until the timeout. */
import { type Log, sleep } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import type { Unsettled } from '../controller/settled.ts';
import type { Components } from './components.ts';
import type { ProgramOptions } from './options.ts';
import { managerOf } from './run.ts';

export interface OnceOutcome {
  readonly services: number;
  /** Empty if every service is settled. */
  readonly unsettled: readonly Unsettled[];
  /** Whether a signal stopped it before the timeout. */
  readonly interrupted: boolean;
}

const pollMs = 100;

export async function once(
  components: Components,
  options: ProgramOptions,
  log: Log,
  signal: AbortSignal,
): Promise<OnceOutcome> {
  const { registry, operator } = components;
  const end = new AbortController();
  const stop = () => end.abort();
  signal.addEventListener('abort', stop, { once: true });
  const cancel = registry.clock.after(options.timeoutMs, stop);
  const working = managerOf(components, options, log).run({ signal: end.signal }).finally(stop);
  // A failure is thrown below, where it is awaited.
  working.catch(() => {});
  let isSettled = false;
  try {
    while (!end.signal.aborted && !isSettled) {
      isSettled = await operator.settled();
      if (!isSettled) await sleep(registry.clock, pollMs, end.signal);
    }
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    stop();
    await working;
  }
  const { items } = await registry.resource(ECSMService).list();
  return {
    services: items.length,
    unsettled: isSettled ? [] : await operator.unsettled(),
    interrupted: signal.aborted,
  };
}
