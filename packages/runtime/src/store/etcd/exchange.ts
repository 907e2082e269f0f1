/** One request to one endpoint and its whole answer. It repeats nothing; `sent` of a failure says whether one may. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure, type FailureKind, malformed, reportedFailure } from './errors.ts';
import { integerAt, type JsonObject, parseObject, stringAt } from './json.ts';

/** An answer is held whole in memory. A page of `list` at its limit of bytes is about a third of this. */
export const answerBytesMax = 32 * 1024 * 1024;

export interface Attempt {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** How long a connection may take, so that a black hole leaves time for the other endpoints. */
  readonly connectMsMax: number;
  /** How long this attempt may take in all, where another may follow. */
  readonly attemptMsMax?: number;
}

export async function exchange(attempt: Attempt): Promise<JsonObject> {
  const { status, text } = await send(attempt);
  if (status === 200) return parseObject(text);
  throw readFailure(status, text, attempt.body.length);
}

/** etcd's words for a refusal. Anything else that is not 200 comes from a proxy, or the JSON gateway is off. */
export function readFailure(status: number, text: string, requestBytes = 0): EtcdFailure {
  try {
    const answer = parseObject(text);
    const message = stringAt(answer, 'message') || stringAt(answer, 'error');
    if (message !== '') return reportedFailure(message, integerAt(answer, 'code'), requestBytes);
  } catch {
    // Whatever it is, it is not etcd's.
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
      // A destroyed request reports an error once more, when the deadline may belong to the next attempt already.
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
      clock.after(delayMs, () => fail('timeout', `no answer within ${Math.round(delayMs)} ms`));

    request.on('error', (error) => fail('unavailable', describe(error), error));
    request.on('socket', (socket) => {
      sent = !socket.connecting;
      if (sent) return;
      const cancel = failWhenLate(connectMsMax);
      cancels.push(cancel);
      // Nothing is on the wire before this event, so that a failure until here can never be a commit that happened.
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

/** The whole body as text, or why there is none. Calls back once. */
export function collect(
  response: IncomingMessage,
  done: (failure: EtcdFailure | undefined, text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= answerBytesMax) chunks.push(chunk);
    else done(new EtcdFailure('answerTooLarge', `the answer is over ${answerBytesMax} bytes`), '');
  });
  response.on('end', () => done(undefined, Buffer.concat(chunks).toString('utf8')));
  // Without a listener a connection that breaks in the middle of an answer would end the process.
  response.on('error', (error) => done(new EtcdFailure('unavailable', `the answer broke off: ${describe(error)}`), ''));
}

/** A failed connection to several addresses of one host is an AggregateError with an empty message. */
export function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return [code, error.message].filter((part) => part !== '').join(': ') || error.name;
}
