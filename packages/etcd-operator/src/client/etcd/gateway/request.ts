/** One request to one member and its complete answer. Nothing is repeated: the caller knows whether it may be. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '@ecsm/runtime';
import type { EtcdCallOptions, EtcdCredentials, EtcdEndpoint } from '../contract.ts';
import { EtcdError } from '../error.ts';
import { connectionFailure } from './failure.ts';

/** A value of etcd has at most 1.5 MiB by default, which is 2 MiB in base64. */
export const answerBytesMax = 4 * 1024 * 1024;
/** Per member. More calls wait for a connection, and the wait counts for their time. */
const connectionsMax = 8;
/** An idle connection is closed; the pod may be gone. */
const idleMsMax = 60_000;
export const timeoutMsDefault = 5_000;

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The connections of one client. */
export class Connections {
  readonly #credentials: EtcdCredentials | undefined;
  readonly #clock: Clock;
  readonly #agent: HttpAgent;
  /** Reading keys and certificates takes longer than the rest of a connection to a member that is not up yet. */
  #secureContext: SecureContext | undefined;
  /** What ends each call in flight. */
  readonly #calls = new Set<() => void>();
  #isClosed = false;

  constructor(credentials: EtcdCredentials | undefined, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
    const options = { keepAlive: true, maxSockets: connectionsMax, scheduling: 'lifo', timeout: idleMsMax } as const;
    this.#agent = credentials ? new HttpsAgent(options) : new HttpAgent(options);
  }

  post(endpoint: EtcdEndpoint, path: string, body: object, isLed: boolean, options: EtcdCallOptions): Promise<Reply> {
    const { signal, timeoutMs = timeoutMsDefault } = options;
    const what = `etcd at ${endpoint.host} (${endpoint.address}:${endpoint.port})`;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed(what));
      if (signal?.aborted) return reject(aborted(what));
      const request = this.#request(endpoint, path, isLed);
      const finish = (end: () => void) => {
        cancelTimer();
        signal?.removeEventListener('abort', onAbort);
        this.#calls.delete(onClose);
        end();
      };
      const fail = (error: EtcdError) => {
        finish(() => reject(error));
        request.destroy();
      };
      const onAbort = () => fail(aborted(what));
      const onClose = () => fail(closed(what));
      const cancelTimer = this.#clock.after(timeoutMs, () =>
        fail(new EtcdError('Timeout', `${what}: no answer within ${timeoutMs} ms`)),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#calls.add(onClose);
      request.on('error', (error) => fail(connectionFailure(error, what)));
      request.on('response', (response) =>
        collect(response, what, fail, (text) => finish(() => resolve({ status: response.statusCode ?? 0, text }))),
      );
      request.end(JSON.stringify(body));
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#calls]) end();
    this.#agent.destroy();
  }

  #request(endpoint: EtcdEndpoint, path: string, isLed: boolean): ClientRequest {
    const options = {
      host: endpoint.address,
      port: endpoint.port,
      path,
      method: 'POST',
      agent: this.#agent,
      headers: {
        host: `${endpoint.host}:${endpoint.port}`,
        'content-type': 'application/json',
        // A member without a leader then refuses at once, instead of after some seconds.
        ...(isLed ? { 'grpc-metadata-hasleader': 'true' } : {}),
      },
    };
    if (!this.#credentials) return httpRequest(options);
    this.#secureContext ??= createSecureContext(this.#credentials);
    const secured = { ...options, secureContext: this.#secureContext, servername: endpoint.host };
    return httpsRequest(secured);
  }
}

function collect(
  response: IncomingMessage,
  what: string,
  fail: (error: EtcdError) => void,
  done: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.byteLength;
    if (sizeBytes <= answerBytesMax) chunks.push(chunk);
    else fail(new EtcdError('Unavailable', `${what}: the answer is over ${answerBytesMax} bytes`));
  });
  response.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
  // Without a listener, a connection that breaks during an answer would end the process.
  response.on('error', (error) => fail(connectionFailure(error, what)));
}

function closed(what: string): EtcdError {
  return new EtcdError('Unavailable', `${what}: the client was closed`);
}

function aborted(what: string): EtcdError {
  return new EtcdError('Unavailable', `${what}: the call was aborted`);
}
