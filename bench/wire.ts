/**
 * A load generator that costs less than the servers that it measures: HTTP/1.1 on TLS sockets, one request at a time on
 * each, without parsing more of a response than its end.
 */
import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

export interface Endpoint {
  readonly port: number;
  readonly ca: string | Buffer;
  readonly token?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Sockets to one server. A call waits for a free one. */
export class Wire {
  readonly #endpoint: Endpoint;
  readonly #free: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  private constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  static async open(endpoint: Endpoint, sockets: number): Promise<Wire> {
    const wire = new Wire(endpoint);
    for (let n = 0; n < sockets; n++) wire.#free.push(new Lane(await openSocket(endpoint)));
    return wire;
  }

  /** The whole response to a request with JSON. Rejects if its status is not one of success. */
  async send(method: string, path: string, body?: string): Promise<Buffer> {
    let lane = this.#free.pop() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)));
    try {
      // Servers close sockets that were idle for some time.
      if (lane.isClosed) lane = new Lane(await openSocket(this.#endpoint));
      return await lane.send(requestText(this.#endpoint, method, path, body));
    } finally {
      const next = this.#waiting.shift();
      if (next) next(lane);
      else this.#free.push(lane);
    }
  }

  /** On a socket of its own. Calls back for each event. */
  async watch(path: string, onEvent: () => void): Promise<() => void> {
    const socket = await openSocket(this.#endpoint);
    let isHead = true;
    let before = 0;
    const started = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        if (isHead) {
          isHead = false;
          resolve();
          return;
        }
        // An event is one line of JSON; the lines of the chunked encoding have another character before their end.
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
          if ((at === 0 ? before : chunk[at - 1]) === 125) onEvent();
        }
        before = chunk.at(-1) ?? 0;
      });
    });
    socket.write(requestText(this.#endpoint, 'GET', path));
    await started;
    return () => socket.destroy();
  }

  close(): void {
    for (const lane of this.#free.splice(0)) lane.close();
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

class Lane {
  readonly #socket: TLSSocket;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Of the response. Undefined: the head is not complete. Infinite: until the last chunk. */
  #bytes: number | undefined;
  #settle: { resolve(response: Buffer): void; reject(error: Error): void } | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed || this.#socket.readableEnded;
  }

  send(text: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    this.#bytes ??= lengthOf(joined(this.#chunks));
    if (this.#bytes === undefined) return;
    // JSON contains no line breaks of this kind.
    const isLast = () => tailOf(this.#chunks).subarray(-lastChunk.length).equals(lastChunk);
    if (this.#received < this.#bytes && !(this.#bytes === Number.POSITIVE_INFINITY && isLast())) return;
    const response = joined(this.#chunks);
    const settle = this.#settle;
    this.#chunks = [];
    this.#received = 0;
    this.#bytes = undefined;
    this.#settle = undefined;
    // "HTTP/1.1 2"
    if (response[9] === 50) settle?.resolve(response);
    else settle?.reject(new Error(response.toString().slice(0, 1_000)));
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, ...others] = chunks;
  return first && others.length === 0 ? first : Buffer.concat(chunks);
}

/** At least the last bytes: an earlier chunk is only needed if the last one is very short. */
function tailOf(chunks: readonly Buffer[]): Buffer {
  const last = chunks.at(-1) ?? Buffer.alloc(0);
  return last.length >= lastChunk.length ? last : Buffer.concat(chunks.slice(-lastChunk.length));
}

function lengthOf(response: Buffer): number | undefined {
  const head = response.indexOf(headEnd);
  if (head === -1) return undefined;
  const length = /content-length: (\d+)/i.exec(response.toString('latin1', 0, head))?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : head + headEnd.length + Number(length);
}

async function openSocket({ port, ca, cert, key }: Endpoint): Promise<TLSSocket> {
  const options: ConnectionOptions = { host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] };
  const socket = connect({ ...options, ...(cert && key ? { cert, key } : {}) });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true).on('error', () => socket.destroy());
  return socket;
}

function requestText({ token }: Endpoint, method: string, path: string, body = ''): string {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const content = body === '' ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${authorization}${content}\r\n${body}`;
}
