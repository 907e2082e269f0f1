/**
 * One watch: reconnects to etcd's watch stream as often as needed, and delivers one history without gaps.
 *
 *       idle ──▶ connecting ──▶ streaming ──▶ paused        the mailbox is full: close the stream
 *                  ▲    │           │            │
 *                  │    ▼           ▼            │
 *                  ├─ backing off ◀─┘            │          the stream is lost: reconnect from the position
 *                  └─────────────────────────────┘          the mailbox is empty: continue from the position
 *
 *       any ──▶ ended                                       aborted, closed, or the history has a gap
 *
 * `position` is the last revision that is complete in the mailbox. Every stream starts there, so a lost one costs only
 * time. It starts *at* the position and not after it, and skips what was delivered: etcd reports a start revision as
 * compacted only if it is before the compacted one, but may have discarded deletions at that one already.
 */
import { ApiError } from '../../api/errors.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import type { Commit, Revision, WatchOptions } from '../contract.ts';
import { type Detail, readRange, readWatchMessage } from './answers.ts';
import { CommitAssembler } from './assembler.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure, type FailureKind, isUnreachable } from './errors.ts';
import type { Keyspace } from './keyspace.ts';
import { Mailbox } from './mailbox.ts';
import type { Transport } from './transport.ts';
import { lagMsFirst, lagMsLimit, Watchdog } from './watchdog.ts';

export interface WatchContext {
  readonly transport: Transport;
  readonly keyspace: Keyspace;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly toApiError: (error: unknown) => unknown;
  /** Called when the watch starts; throws if the store is closed. */
  readonly started: (watch: EtcdWatch) => void;
  readonly ended: (watch: EtcdWatch) => void;
}

type StateName = 'idle' | 'connecting' | 'streaming' | 'paused' | 'backing off' | 'ended';

interface State {
  readonly name: StateName;
  /** Releases the resources of the state. */
  readonly leave: () => void;
}

const backoffMsMin = 50;
const backoffMsMax = 2_000;

/** Failures that a retry cannot fix. */
const fatal: ReadonlySet<FailureKind> = new Set(['compacted', 'future', 'denied', 'token', 'refused', 'corrupt']);

const nothingToLeave = () => {};

export class EtcdWatch implements AsyncIterable<Commit> {
  readonly #context: WatchContext;
  readonly #prefix: string;
  readonly #detail: Detail;
  readonly #signal: AbortSignal | undefined;
  readonly #mailbox = new Mailbox();
  readonly #abort = () => this.#endQuietly();
  #state: State = { name: 'idle', leave: nothingToLeave };
  #position: Revision;
  #failures = 0;
  /**
   * Whether etcd splits its messages into fragments of about 2 MB. A watch that is behind gets up to 1,000 commits of any
   * size in one message, so large ones must be split. For small ones it is slower: etcd's time grows with the square of
   * the events of a fragment, 30 s instead of 2 for a hundred thousand of them.
   */
  #fragments = false;
  #lagMsMax = lagMsFirst;

  constructor(context: WatchContext, prefix: string, { after, detail = 'values', signal }: WatchOptions) {
    this.#context = context;
    this.#prefix = prefix;
    this.#detail = detail;
    this.#signal = signal;
    // In etcd revision 0 means the newest and an empty etcd is at 1, so our revision 0 is sent as 1.
    this.#position = after === 0 ? 1 : after;
  }

  get state(): StateName {
    return this.#state.name;
  }

  [Symbol.asyncIterator](): AsyncIterator<Commit, undefined> {
    if (this.#state.name !== 'idle') throw new ApiError('BadRequest', { reason: 'a watch can be iterated once' });
    this.#start();
    return {
      next: () => {
        const taken = this.#mailbox.take();
        if (this.#state.name === 'paused' && this.#mailbox.empty) this.#connect();
        return taken;
      },
      return: async () => {
        this.#endQuietly();
        return { done: true, value: undefined };
      },
    };
  }

  /** Ends the watch with this error and drops undelivered commits; the consumer can resume from its own position. */
  close(error: ApiError): void {
    this.#mailbox.clear();
    this.#end(error);
  }

  #start(): void {
    try {
      this.#context.started(this);
      this.#signal?.addEventListener('abort', this.#abort, { once: true });
      if (this.#signal?.aborted) this.#endQuietly();
      else this.#connect();
    } catch (error) {
      this.#end(error);
    }
  }

  #connect(): void {
    const attempt = new AbortController();
    const state = this.#enter('connecting', () => attempt.abort());
    this.#open(state, attempt.signal).catch((error: unknown) => {
      if (this.#state === state) this.#lost(error);
    });
  }

  async #open(connecting: State, signal: AbortSignal): Promise<void> {
    const { transport, keyspace } = this.#context;
    await this.#checkPosition(signal);
    const request = {
      ...keyspace.range(this.#prefix),
      start_revision: String(this.#position),
      progress_notify: true,
      prev_kv: this.#detail === 'history',
      fragment: this.#fragments,
    };
    const assembler = new CommitAssembler(keyspace, this.#detail, this.#position);
    const stream = await transport.stream(
      '/v3/watch',
      { create_request: request },
      {
        line: (text) => this.#receive(text, assembler, watchdog),
        ended: (failure) => this.#lost(failure, stream.endpoint),
      },
    );
    if (this.#state !== connecting) return stream.close();
    const watchdog = this.#guard(stream.endpoint);
    this.#enter('streaming', () => {
      watchdog.stop();
      stream.close();
    });
  }

  /** Detects a position that is compacted or not reached yet: for these a watch would wait without an error. */
  async #checkPosition(signal: AbortSignal): Promise<void> {
    const { transport, keyspace } = this.#context;
    const body = { key: keyspace.encode(''), keys_only: true, revision: String(this.#position) };
    try {
      readRange(await transport.call('/v3/kv/range', body, { repeatable: true, signal }));
    } catch (error) {
      if (!(error instanceof EtcdFailure)) throw error;
      throw new EtcdFailure(error.kind, `watch after revision ${this.#position}: ${error.message}`, { cause: error });
    }
  }

  #guard(endpoint: Endpoint): Watchdog {
    const { transport, keyspace, clock } = this.#context;
    return new Watchdog({
      clock,
      lagMsMax: this.#lagMsMax,
      shown: () => this.#position,
      probe: async (signal) =>
        readRange(
          await transport.call('/v3/kv/range', { key: keyspace.encode('') }, { repeatable: true, signal, endpoint }),
        ).newest,
      onDead: (failure, isDropped) => {
        if (isDropped) this.#lagMsMax = Math.min(this.#lagMsMax * 2, lagMsLimit);
        this.#lost(failure, isDropped ? undefined : endpoint);
      },
    });
  }

  #receive(text: string, assembler: CommitAssembler, watchdog: Watchdog): void {
    try {
      const message = readWatchMessage(text);
      watchdog.received();
      if (message.type === 'canceled') throw message.failure;
      if (message.type === 'created') this.#opened();
      // Progress advances the position of an idle watch, so that it does not fall behind a compaction.
      else if (message.type === 'progress') this.#position = Math.max(this.#position, message.revision);
      else for (const commit of assembler.add(message.events, message.more)) this.#deliver(commit);
      if (this.#mailbox.full) this.#enter('paused', nothingToLeave);
    } catch (error) {
      this.#lost(refreshable(error) ? this.#signInAgain(error) : error);
    }
  }

  #deliver(commit: Commit): void {
    this.#position = commit.revision;
    this.#lagMsMax = lagMsFirst;
    this.#mailbox.put(commit);
  }

  #opened(): void {
    if (this.#failures > 0) this.#context.log.write('info', 'etcd watch resumed', this.#fields());
    this.#failures = 0;
  }

  /** The range was readable just before, so the token of a refused watch has expired since. */
  #signInAgain(cause: EtcdFailure): EtcdFailure {
    this.#context.transport.forgetToken();
    return new EtcdFailure('unavailable', cause.message, { cause });
  }

  #lost(error: unknown, endpoint?: Endpoint): void {
    const { transport, toApiError } = this.#context;
    if (!(error instanceof EtcdFailure) || fatal.has(error.kind)) {
      this.#end(toApiError(error));
    } else if (error.kind === 'answerTooLarge' && !this.#fragments) {
      this.#fragments = true;
      this.#connect();
    } else {
      if (endpoint && isUnreachable(error)) transport.turnAwayFrom(endpoint);
      this.#backOff(error);
    }
  }

  #backOff(error: EtcdFailure): void {
    const { clock, random, log } = this.#context;
    log.write(this.#failures === 0 ? 'warn' : 'debug', 'etcd watch lost; reconnecting', {
      ...this.#fields(),
      reason: error.message,
    });
    const delayMs = backoffMs(this.#failures++, backoffMsMin, backoffMsMax, random);
    const cancel = clock.after(delayMs, () => this.#connect());
    this.#enter('backing off', cancel);
  }

  #fields(): { readonly prefix: string; readonly position: Revision } {
    return { prefix: this.#context.keyspace.base + this.#prefix, position: this.#position };
  }

  #endQuietly(): void {
    this.#mailbox.clear();
    this.#end(undefined);
  }

  #end(error: unknown): void {
    if (this.#state.name === 'ended') return;
    this.#enter('ended', nothingToLeave);
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#context.ended(this);
    this.#mailbox.end(error);
  }

  /** The only place where the state changes; the resources of the old state are released first. */
  #enter(name: StateName, leave: () => void): State {
    this.#state.leave();
    this.#state = { name, leave };
    return this.#state;
  }
}

function refreshable(error: unknown): error is EtcdFailure {
  return error instanceof EtcdFailure && (error.kind === 'denied' || error.kind === 'token');
}
