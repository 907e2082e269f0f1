/** One call: attempt after attempt until one succeeds, repeating makes no sense, or time is up. */
import { ApiError, isApiError, sleep } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { type CallLimits, CallTime } from './call-time.ts';
import { reasonCharactersMax, wordsOf } from './errors.ts';
import { askHeaders } from './headers.ts';
import type { Headers, RestSettings } from './options.ts';
import type { AttemptRecord } from './recorder.ts';
import { retryDelayMs } from './retry.ts';
import type { Method, WireAnswer } from './transport.ts';

export interface Call extends CallLimits {
  readonly method: Method;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  /** Whether repeating it is harmless. */
  readonly isSafe: boolean;
}

type Read<T> = (answer: WireAnswer) => T;

/**
 * What `read` makes of the answer. Rejects with the reason of the caller's signal, as soon as it aborts, or with an
 * `ApiError`; never with anything else.
 */
export async function perform<T>(settings: RestSettings, call: Call, read: Read<T>): Promise<T> {
  const { clock, random, attemptsMax } = settings;
  const time = new CallTime(clock, call);
  try {
    time.signal.throwIfAborted();
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(settings, call, time, attempt, read);
      } catch (error) {
        const { isSafe } = call;
        const delayMs = retryDelayMs({ error, attempt, attemptsMax, isSafe, remainingMs: time.remainingMs }, random);
        if (delayMs === undefined) throw error;
        await sleep(clock, delayMs, time.signal);
        // The last failure says more than that the deadline came.
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
  const { clock, transport, answerBytesMax } = settings;
  const startMs = clock.monotonicMs();
  const meter = { bytesUp: 0, bytesDown: 0 };
  let status: number | undefined;
  const ended = (outcome: AttemptRecord['outcome']) => {
    const durationMs = clock.monotonicMs() - startMs;
    const record = { endpoint: call.endpoint, ...meter, outcome, durationMs };
    settings.recorder?.record(record);
    settings.log.write('debug', 'called the platform', {
      ...record,
      attempt,
      ...(status === undefined ? {} : { status }),
    });
  };
  try {
    const value = await time.attempt(async (signal) => {
      const added = await askHeaders(settings.headers, call.endpoint);
      signal.throwIfAborted();
      const { method, target, body } = call;
      const request = { method, target, headers: { ...added, ...call.headers }, ...(body ? { body } : {}) };
      const answer = await transport.send(request, { signal, answerBytesMax, meter });
      status = answer.status;
      checkSize(answer, call, answerBytesMax);
      return read(answer);
    });
    ended('ok');
    return value;
  } catch (error) {
    if (time.isAborted) {
      ended('Aborted');
      throw time.signal.reason;
    }
    const failure = isApiError(error) ? error : foreign(error, call);
    ended(failure.code);
    throw failure;
  }
}

/** A transport should have given up long before; not every one is ours. */
function checkSize({ body }: WireAnswer, { endpoint }: Call, limitBytes: number): void {
  const sizeBytes = body.byteLength;
  if (sizeBytes > limitBytes)
    throw new ApiError('TooLarge', { what: `the answer to ${endpoint}`, sizeBytes, limitBytes });
}

function foreign(error: unknown, { endpoint }: Call): ApiError {
  const reason = bounded(`${endpoint} failed in its transport: ${wordsOf(error)}`, reasonCharactersMax);
  return new ApiError('Internal', { reason }, error);
}
