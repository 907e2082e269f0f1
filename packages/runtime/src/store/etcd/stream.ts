/** A long answer of etcd, read line by line. It ends once: with a failure, or in silence when its owner closes it. */
import type { Clock } from '../../ports/clock.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure } from './errors.ts';
import { collect, describe, readFailure } from './exchange.ts';

/** A line is held whole, and several times over while it is parsed. A longer one ends the stream as `answerTooLarge`. */
export const lineBytesMax = 16 * 1024 * 1024;

export interface StreamHandlers {
  line(text: string): void;
  /** The stream is over; nothing comes after this. Not called after `close()`. */
  ended(failure: EtcdFailure): void;
}

export interface Stream {
  readonly endpoint: Endpoint;
  /** Lets go of the connection at once. */
  close(): void;
}

export interface StreamOptions {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly clock: Clock;
  /** How long the first line may take. */
  readonly timeoutMs: number;
  readonly handlers: StreamHandlers;
}

export function openStream({ endpoint, path, headers, body, clock, timeoutMs, handlers }: StreamOptions): Stream {
  let open = true;
  const request = endpoint.request(path, headers, 'stream');
  const close = () => {
    open = false;
    cancelTimer();
    request.destroy();
  };
  const end = (failure: EtcdFailure) => {
    if (!open) return;
    close();
    handlers.ended(failure);
  };
  const cancelTimer = clock.after(timeoutMs, () =>
    end(new EtcdFailure('timeout', `no answer within ${timeoutMs} ms (${endpoint.name})`)),
  );
  const lines = new LineSplitter((line) => {
    cancelTimer();
    // A handler may close the stream in the middle of a chunk; the lines behind are not its business any more.
    if (open) handlers.line(line);
  });
  request.on('error', (error) =>
    end(new EtcdFailure('unavailable', `${describe(error)} (${endpoint.name})`, { cause: error })),
  );
  request.on('response', (response) => {
    const status = response.statusCode ?? 0;
    if (status !== 200) return collect(response, (failure, text) => end(failure ?? readFailure(status, text)));
    response.on('data', (chunk: Buffer) => {
      if (open && !lines.add(chunk)) end(new EtcdFailure('answerTooLarge', `a line of over ${lineBytesMax} bytes`));
    });
    response.on('error', (error) => end(new EtcdFailure('unavailable', `${describe(error)} (${endpoint.name})`)));
    response.on('end', () => end(new EtcdFailure('unavailable', `${endpoint.name} ended the stream`)));
    return undefined;
  });
  // The gateway answers only after the end of the body, although it could read more requests from it.
  request.end(body);
  return { endpoint, close };
}

/** Cuts chunks into lines without copying what has arrived again with every chunk. */
class LineSplitter {
  readonly #emit: (line: string) => void;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  /** False if a line is too long to be held. */
  add(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      const line = Buffer.concat(this.#pieces).toString('utf8');
      this.#pieces = [];
      this.#sizeBytes = 0;
      start = end + 1;
      if (line !== '') this.#emit(line);
    }
    this.#pieces.push(chunk.subarray(start));
    this.#sizeBytes += chunk.length - start;
    return this.#sizeBytes <= lineBytesMax;
  }
}
