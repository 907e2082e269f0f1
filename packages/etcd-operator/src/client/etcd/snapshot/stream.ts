/**
 * The snapshot of a member over gRPC, on HTTP/2. The JSON gateway has the same call, but base64 and JSON make it nine times
 * slower. Flow control bounds the memory: etcd sends at most a window more than what was read, and blocks are used again.
 */
import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '@ecsm/runtime';
import type { EtcdCredentials, EtcdEndpoint, EtcdSnapshot, EtcdSnapshotOptions } from '../contract.ts';
import { EtcdError } from '../error.ts';
import { describeEndpoint, GrpcStream } from '../grpc/stream.ts';
import { SnapshotDecoder } from './decoder.ts';

const path = '/etcdserverpb.Maintenance/Snapshot';
const idleTimeoutMsDefault = 30_000;
export const windowBytes = 1024 * 1024;
/** How many may wait for the reader. */
const blocksMax = 8;
/** At the end of a snapshot: its SHA-256. */
const trailerBytes = 32;
const emptyMessage = Buffer.alloc(0);

interface SnapshotCall extends EtcdSnapshotOptions {
  readonly endpoint: EtcdEndpoint;
  readonly credentials: EtcdCredentials | undefined;
  readonly clock: Clock;
  readonly session?: ClientHttp2Session | undefined;
}

/** Resolves with the first bytes. The connection is closed when the chunks end, fail or are not read any more. */
export async function openSnapshot(call: SnapshotCall): Promise<EtcdSnapshot> {
  const connection = new SnapshotConnection(call);
  try {
    await connection.readFirst();
  } catch (error) {
    connection.close();
    throw error;
  }
  const { sizeBytes, version } = connection;
  return { sizeBytes, version, chunks: connection.chunks() };
}

class SnapshotConnection {
  readonly #stream: GrpcStream;
  readonly #what: string;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #blocks: Buffer[] = [];
  readonly #decoder = new SnapshotDecoder((block) => this.#blocks.push(block));
  readonly #onAbort = () => this.#fail(new EtcdError('Unavailable', `${this.#what}: the call was aborted`));
  /** The first failure, which is the cause of the others. */
  #failure: EtcdError | undefined;
  /** Since when bytes are awaited; undefined while the reader is busy. */
  #waitingSinceMs: number | undefined;
  #wake = () => {};
  #cancelTimer = () => {};
  #isAnnounced = false;
  #hasEnded = false;

  constructor({ endpoint, credentials, clock, signal, session, idleTimeoutMs = idleTimeoutMsDefault }: SnapshotCall) {
    this.#what = describeEndpoint(endpoint);
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#signal = signal;
    if (signal?.aborted) throw new EtcdError('Unavailable', `${this.#what}: the call was aborted`);
    this.#stream = new GrpcStream(
      { endpoint, credentials, path, message: emptyMessage, isLed: false, windowBytes, session },
      {
        onData: (piece) => this.#take(piece),
        onEnd: (refusal) => this.#end(refusal),
        onFailure: (error) => this.#fail(error),
      },
    );
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#watch();
  }

  get sizeBytes(): number {
    return (this.#decoder.announcedBytes ?? 0) + trailerBytes;
  }

  get version(): string {
    return this.#decoder.version;
  }

  async readFirst(): Promise<void> {
    while (!this.#isAnnounced && !this.#hasEnded) await this.#more();
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let block = this.#blocks.shift(); block; block = this.#blocks.shift()) {
          yield block;
          this.#decoder.recycle(block);
          if (this.#failure) throw this.#failure;
          if (this.#blocks.length < blocksMax / 2) this.#stream.resume();
        }
        if (this.#hasEnded) break;
        await this.#more();
      }
      const { receivedBytes } = this.#decoder;
      if (receivedBytes === this.sizeBytes) return;
      const problem = `it sent ${receivedBytes} bytes of a snapshot of ${this.sizeBytes} bytes`;
      throw new EtcdError('Unavailable', `${this.#what}: ${problem}`);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#cancelTimer();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#stream.close();
  }

  /** Resolves when there is something new. */
  async #more(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#waitingSinceMs = this.#clock.monotonicMs();
    this.#stream.resume();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#waitingSinceMs = undefined;
    if (this.#failure) throw this.#failure;
  }

  /** Events instead of an iterator: there are many thousands of pieces, and a promise for each costs as much as its bytes. */
  #take(piece: Buffer): void {
    if (this.#waitingSinceMs !== undefined) this.#waitingSinceMs = this.#clock.monotonicMs();
    this.#decode(() => this.#decoder.push(piece));
    if (this.#blocks.length >= blocksMax) this.#stream.pause();
    const isNew = !this.#isAnnounced && this.#decoder.announcedBytes !== undefined;
    if (isNew) this.#isAnnounced = true;
    if (isNew || this.#blocks.length > 0) this.#wake();
  }

  /** A success only if etcd says so. */
  #end(refusal: EtcdError | undefined): void {
    if (refusal) this.#fail(refusal);
    else this.#decode(() => this.#decoder.end());
    this.#hasEnded = this.#failure === undefined;
    this.#wake();
  }

  #decode(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error instanceof EtcdError ? error : new EtcdError('Other', `${this.#what}: ${String(error)}`));
    }
  }

  #fail(error: EtcdError): void {
    if (this.#hasEnded) return;
    this.#failure ??= error;
    this.#cancelTimer();
    this.#stream.close();
    this.#wake();
  }

  /** One timer for the whole stream: there are many thousands of pieces. */
  #watch(): void {
    this.#cancelTimer = this.#clock.after(this.#idleTimeoutMs / 2, () => {
      const idleMs = this.#clock.monotonicMs() - (this.#waitingSinceMs ?? Number.POSITIVE_INFINITY);
      if (idleMs < this.#idleTimeoutMs) return this.#watch();
      this.#fail(new EtcdError('Timeout', `${this.#what}: no bytes of the snapshot within ${this.#idleTimeoutMs} ms`));
    });
  }
}
