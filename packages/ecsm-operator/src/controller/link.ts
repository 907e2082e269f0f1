/** The link to the platform: the client, behind a circuit breaker, with a record of all calls. */
import {
  CircuitBreaker,
  compressedTransport,
  Ecsm,
  type Headers,
  Recorder,
  RestClient,
  type Transport,
} from '@ecsm/client';
import type { Clock, Log, MetricRegistry, Random } from '@ecsm/runtime';
import { measureLink } from './metrics.ts';
import type { OperatorSettings } from './settings.ts';

export interface LinkOptions {
  readonly transport: Transport;
  readonly headers?: () => Headers | Promise<Headers>;
  readonly metrics?: MetricRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: Pick<OperatorSettings, 'inFlightMax' | 'callTimeoutMs'>;
}

export interface Link {
  readonly breaker: CircuitBreaker;
  readonly recorder: Recorder;
  readonly ecsm: Ecsm;
}

/** Reads are repeated once within a call; a key that fails is requeued anyway. */
const attemptsMax = 2;
/** Most lists are complete, so their pages are few and large. */
const pageSize = 1_000;
/** The deadline of a list is this many times the timeout of one page. */
const pagesInTime = 60;

/** Calls nothing. */
export function linkOf({ transport, headers, metrics, clock, random, log, settings }: LinkOptions): Link {
  const { inFlightMax, callTimeoutMs } = settings;
  const common = { clock, random, ...(headers && { headers }) };
  const compressed = compressedTransport(transport, clock);
  const breaker = new CircuitBreaker({ ...common, transport: compressed, inFlightMax, probeTimeoutMs: callTimeoutMs });
  const recorder = new Recorder(metrics && measureLink(metrics, breaker));
  const rest = new RestClient({
    ...common,
    transport: breaker.transport,
    log,
    timeoutMs: callTimeoutMs,
    deadlineMs: callTimeoutMs * attemptsMax + 2_000,
    attemptsMax,
    recorder,
  });
  const ecsm = new Ecsm(rest, { pageSize, listDeadlineMs: callTimeoutMs * pagesInTime });
  return { breaker, recorder, ecsm };
}
