/** One request to one endpoint and its complete response. It never retries; `sent` of a failure states if that is safe. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure, type FailureKind, malformed, reportedFailure } from './errors.ts';
import { integerAt, type JsonObject, parseObject, stringAt } from './json.ts';

/** A response is buffered in memory. A page of `list` at its size limit is about a third of this. */
const answerBytesMax = 32 * 1024 * 1024;

interface Attempt {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Connect timeout, so that an unresponsive endpoint leaves time for the others. */
  readonly connectMsMax: number;
  /** Timeout of this attempt, if another may follow. */
  readonly attemptMsMax?: number;
}

export async function exchange(attempt: Attempt): Promise<JsonObject> {
  const { status, text } = await send(attempt);
  if (status === 200) return parseObject(text);
  throw readFailure(status, text, attempt.body.length);
}

/** Parses etcd's error response. Any other response than 200 is from a proxy, or the JSON gateway is off. */
export function readFailure(status: number, text: string, requestBytes = 0): EtcdFailure {
  try {
    const answer = parseObject(text);
    const message = stringAt(answer, 'message') || stringAt(answer, 'error');
    if (message !== '') return reportedFailure(message, integerAt(answer, 'code'), requestBytes);
  } catch {
    // The response is not from etcd.
  }
  return malformed(`HTTP ${status} ${JSON.stringify(text.slice(0, 80))}, is this etcd with its JSON gateway on?`);
}

function send({
  endpoint,
  path,
  headers,
  body,
  clock,
  deadline,
  connectMsMax,
  attemptMsMax,
}: Attempt): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let sent = false;
    const cancels: (() => void)[] = [];
    const request = endpoint.request(path, headers, 'call');
    let settled = false;
    const settle = (finish: () => void) => {
      // A destroyed request emits another error, when the deadline may already belong to the next attempt.
      if (settled) return;
      settled = true;
      deadline.listen(undefined);
      for (const cancel of cancels) cancel();
      finish();
    };
    const fail = (kind: FailureKind, reason: string, cause?: unknown) => {
      settle(() => reject(new EtcdFailure(kind, `${reason} (${endpoint.name})`, { sent, cause })));
      request.destroy();
    };
    const failWhenLate = (delayMs: number) =>
      clock.after(delayMs, () => fail('timeout', `no response within ${Math.round(delayMs)} ms`));

    request.on('error', (error) => fail('unavailable', describe(error), error));
    request.on('socket', (socket) => {
      sent = !socket.connecting;
      if (sent) return;
      const cancel = failWhenLate(connectMsMax);
      cancels.push(cancel);
      // Nothing is sent before this event, so a commit that fails earlier has not been applied.
      socket.once(endpoint.secure ? 'secureConnect' : 'connect', () => {
        sent = true;
        cancel();
      });
    });
    request.on('response', (response) => {
      collect(response, (failure, text) => {
        if (failure) fail(failure.kind, failure.message, failure);
        else settle(() => resolve({ status: response.statusCode ?? 0, text }));
      });
    });
    if (attemptMsMax !== undefined) cancels.push(failWhenLate(attemptMsMax));
    deadline.listen((failure) => fail(failure.kind, failure.message, failure));
    request.end(body);
  });
}

/** Calls `done` once, with the complete body as text or with the failure. */
export function collect(
  response: IncomingMessage,
  done: (failure: EtcdFailure | undefined, text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= answerBytesMax) chunks.push(chunk);
    else done(new EtcdFailure('answerTooLarge', `the response is over ${answerBytesMax} bytes`), '');
  });
  response.on('end', () => done(undefined, Buffer.concat(chunks).toString('utf8')));
  // Without a listener, a connection that breaks during a response would crash the process.
  response.on('error', (error) => done(new EtcdFailure('unavailable', `response interrupted: ${describe(error)}`), ''));
}

/** A failed connection to several addresses of one host is an AggregateError with an empty message. */
export function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return [code, error.message].filter((part) => part !== '').join(': ') || error.name;
}
