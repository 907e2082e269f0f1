/**
 * The request that makes an object visible: PUT, or the completion of its parts.
 *
 * - It replaces nothing: it has `If-None-Match: *`. A store that does not know this is asked before whether there is an
 *   object, which another writer can outrun.
 * - An answer that was lost is looked up: the object carries the id of its put as metadata, so that a repeated request is not
 *   refused because of its own object.
 */
import { isStorageError, StorageError } from '../error.ts';
import { compare, type Sent } from './checksum.ts';
import { type Refusal, refusalError, refusalOf } from './failure.ts';
import { type Facts, inspect, putIdHeader } from './inspect.ts';
import type { Reply, Requests, S3Request } from './requests.ts';
import { parseXml } from './xml.ts';

/** Attempts of a lookup within another attempt, and of the clean-up after a failure. */
export const briefAttemptsMax = 3;

/** Learned from its first refusal, and remembered for the bucket. */
export interface ConditionalPuts {
  areKnown: boolean;
}

export class Publication {
  readonly key: string;
  readonly #requests: Requests;
  readonly #putId: string;
  readonly #conditional: ConditionalPuts;
  readonly #signal: AbortSignal | undefined;

  constructor(
    requests: Requests,
    key: string,
    putId: string,
    conditional: ConditionalPuts,
    signal: AbortSignal | undefined,
  ) {
    this.key = key;
    this.#requests = requests;
    this.#putId = putId;
    this.#conditional = conditional;
    this.#signal = signal;
  }

  /** Headers of the request that starts the object. */
  get metadata(): Readonly<Record<string, string>> {
    return { [putIdHeader]: this.#putId, 'content-type': 'application/octet-stream' };
  }

  /** So that gigabytes are not sent in vain. */
  async refuseExisting(): Promise<void> {
    const found = await inspect(this.#requests, this.key, this.#signal).catch((error: unknown) => {
      // Without the permission to look, only the conditional request can tell.
      if (isStorageError(error, 'Denied') && this.#conditional.areKnown && error.message.includes('AccessDenied')) {
        return undefined;
      }
      throw error;
    });
    if (found) throw this.#alreadyExists();
  }

  async publish(request: Omit<S3Request, 'key' | 'signal'>, sent: Sent): Promise<void> {
    const isDone = await this.#attempt(request, sent);
    if (isDone) return;
    this.#conditional.areKnown = false;
    await this.refuseExisting();
    await this.#attempt(request, sent);
  }

  /** Returns false if the store does not know conditional requests. */
  #attempt(request: Omit<S3Request, 'key' | 'signal'>, sent: Sent): Promise<boolean> {
    const isConditional = this.#conditional.areKnown;
    const headers = { ...request.headers, ...(isConditional ? { 'if-none-match': '*' } : {}) };
    const lookup = async () => ((await this.#isStored(sent)) ? true : undefined);
    return this.#requests.run<boolean>(
      { ...request, key: this.key, headers, signal: this.#signal },
      async (reply) => {
        const refused = reply.isRefused ? reply : await this.#hiddenRefusal(reply, request.action);
        if (!refused) return true;
        if (isConditional && isUnknownCondition(refused.refusal)) return false;
        // Its own object, if the answer to an earlier attempt was lost; a completed upload does not exist any more.
        const isConflict = refused.error.code === 'AlreadyExists' || refused.refusal.code === 'NoSuchUpload';
        if (isConflict && (await this.#isStored(sent))) return true;
        throw refused.error.code === 'AlreadyExists' ? this.#alreadyExists() : refused.error;
      },
      { lookup },
    );
  }

  /** The status of a completion is sent before its end, so the body may be an error nevertheless. */
  async #hiddenRefusal(
    { answer }: Extract<Reply, { isRefused: false }>,
    action: string,
  ): Promise<Extract<Reply, { isRefused: true }> | undefined> {
    const text = await answer.text();
    if (parseXml(text)?.name !== 'Error') return undefined;
    const refusal = refusalOf({ status: 500, header: (name) => answer.header(name) }, text);
    const error = refusalError(refusal, this.#requests.address, action);
    if (error.code === 'Unavailable' || error.code === 'Timeout') throw error;
    return { isRefused: true, refusal, error };
  }

  /** Whether there is the object of this put. Throws `AlreadyExists` if there is another one. */
  async #isStored(sent: Sent): Promise<boolean> {
    const facts = await inspect(this.#requests, this.key, this.#signal, briefAttemptsMax);
    if (!facts) return false;
    if (this.#isOwn(facts, sent)) return true;
    throw this.#alreadyExists();
  }

  /** Some stores keep no metadata: there the same bytes have to do. */
  #isOwn(facts: Facts, sent: Sent): boolean {
    return facts.putId === '' ? compare(facts, sent) === 'equal' : facts.putId === this.#putId;
  }

  #alreadyExists(): StorageError {
    const { label } = this.#requests.address;
    return new StorageError('AlreadyExists', `${label}: ${this.key} exists already, and is not overwritten`);
  }
}

function isUnknownCondition({ status, code, message }: Refusal): boolean {
  if (status === 501 || code === 'NotImplemented') return true;
  return status === 400 && /if-none-match/i.test(message);
}
