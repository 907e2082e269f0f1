/** A streaming response of etcd, read line by line. It ends once: with a failure, or without one when it is closed. */
import type { Clock } from '../../ports/clock.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure } from './errors.ts';
import { collect, describe, readFailure } from './exchange.ts';

/** A line is buffered, and several copies exist while it is parsed. A longer one ends the stream: `answerTooLarge`. */
export const lineBytesMax = 16 * 1024 * 1024;

export interface StreamHandlers {
  line(text: string): void;
  /** The stream has ended; no calls follow. Not called after `close()`. */
  ended(failure: EtcdFailure): void;
}

export interface Stream {
  readonly endpoint: Endpoint;
  /** Destroys the connection. */
  close(): void;
}

interface StreamOptions {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly clock: Clock;
  /** Timeout of the first line. */
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
    end(new EtcdFailure('timeout', `no response within ${timeoutMs} ms (${endpoint.name})`)),
  );
  const lines = new LineSplitter((line) => {
    cancelTimer();
    // A handler may close the stream in the middle of a chunk; the remaining lines are dropped.
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
  // The gateway responds only after the end of the body, although it could read more requests from it.
  request.end(body);
  return { endpoint, close };
}

/** Splits chunks into lines without copying the buffered part for every chunk. */
class LineSplitter {
  readonly #emit: (line: string) => void;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  /** Returns false if a line is too long. */
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
