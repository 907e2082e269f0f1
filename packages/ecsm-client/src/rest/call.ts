/** One call: attempts until one succeeds, the error is not retryable, or the deadline is reached. */
import { ApiError, isApiError, isEnabled, sleep } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { type CallLimits, CallTime } from './call-time.ts';
import { messageOf, reasonCharactersMax } from './errors.ts';
import { hookHeaders } from './headers.ts';
import type { Headers, RestSettings } from './options.ts';
import type { AttemptRecord } from './recorder.ts';
import { retryDelayMs } from './retry.ts';
import type { Method, WireResponse } from './transport.ts';

export interface Call extends CallLimits {
  readonly method: Method;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  /** Whether it may be repeated. */
  readonly isSafe: boolean;
}

type Read<T> = (response: WireResponse) => T;

/**
 * Returns the result of `read`. Rejects with the reason of the caller's signal as soon as it aborts; every other error
 * is an `ApiError`.
 */
export async function perform<T>(settings: RestSettings, call: Call, read: Read<T>): Promise<T> {
  const { clock, random, attemptsMax } = settings;
  const time = new CallTime(clock, call);
  try {
    time.throwIfOver();
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(settings, call, time, attempt, read);
      } catch (error) {
        const { isSafe } = call;
        const delayMs = retryDelayMs({ error, attempt, attemptsMax, isSafe, remainingMs: time.remainingMs }, random);
        if (delayMs === undefined) throw error;
        await sleep(clock, delayMs, time.signal);
        // The last failure is more specific than a timeout.
        if (time.signal.aborted) throw time.isAborted ? time.signal.reason : error;
      }
    }
  } finally {
    time.release();
  }
}

async function attemptOnce<T>(
  settings: RestSettings,
  call: Call,
  time: CallTime,
  attempt: number,
  read: Read<T>,
): Promise<T> {
  const { clock, transport, responseBytesMax, attemptsMax } = settings;
  const isRepeated = call.isSafe && attempt < attemptsMax;
  const startMs = clock.monotonicMs();
  const meter = { bytesUp: 0, bytesDown: 0 };
  let status: number | undefined;
  const recordOutcome = (outcome: AttemptRecord['outcome']) => {
    const durationMs = clock.monotonicMs() - startMs;
    const record = { endpoint: call.endpoint, ...meter, outcome, durationMs };
    settings.recorder?.record(record);
    if (!isEnabled(settings.log, 'debug')) return;
    settings.log.write('debug', 'called the platform', {
      ...record,
      attempt,
      ...(status === undefined ? {} : { status }),
    });
  };
  try {
    const value = await time.attempt(async (signal, queued) => {
      const added = await hookHeaders(settings.headers, call.endpoint);
      signal.throwIfAborted();
      const { method, target, body } = call;
      const request = { method, target, headers: { ...added, ...call.headers }, ...(body ? { body } : {}) };
      const response = await transport.send(request, { signal, responseBytesMax, meter, queued, isRepeated });
      status = response.status;
      checkSize(response, call, responseBytesMax);
      return read(response);
    });
    recordOutcome('ok');
    return value;
  } catch (error) {
    if (time.isAborted) {
      recordOutcome('Aborted');
      throw time.signal.reason;
    }
    const failure = isApiError(error) ? error : transportError(error, call);
    recordOutcome(failure.code);
    throw failure;
  }
}

/** A transport should enforce the limit itself; a custom one may not. */
function checkSize({ body }: WireResponse, { endpoint }: Call, limitBytes: number): void {
  const sizeBytes = body.byteLength;
  if (sizeBytes > limitBytes)
    throw new ApiError('TooLarge', { what: `the response to ${endpoint}`, sizeBytes, limitBytes });
}

function transportError(error: unknown, { endpoint }: Call): ApiError {
  const reason = bounded(`${endpoint}: the transport failed: ${messageOf(error)}`, reasonCharactersMax);
  return new ApiError('Internal', { reason }, error);
}
