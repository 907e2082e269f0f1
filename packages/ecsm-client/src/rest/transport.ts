/**
 * The interface of a transport: sends one request and returns its response. Production uses `node:http`; a test or a
 * simulation calls a simulated platform in the same process. Envelope, retries and deadlines are handled above it.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface WireRequest {
  readonly method: Method;
  /** Path and query: `/api/v1/service?pageNum=1&pageSize=100`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Bytes of one request, including headers. The transport adds to it as bytes are transferred, even if the request
 * fails.
 */
export interface Meter {
  bytesUp: number;
  bytesDown: number;
}

export interface SendOptions {
  /** When it aborts, the connection is closed and the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** A larger response is rejected with `TooLarge`. */
  readonly responseBytesMax: number;
  readonly meter: Meter;
  /**
   * Waits without counting the time: the timeout of the attempt starts when the wait ends. A transport passes it the wait
   * for a slot or a connection, during which nothing is sent. Default: the time counts.
   */
  readonly queued?: <T>(wait: Promise<T>) => Promise<T>;
  /** Whether the request is repeated if it fails, so that it may be given up before its timeout. Default: false. */
  readonly isRepeated?: boolean;
}

export interface Transport {
  /**
   * Rejects with `Unavailable` if the connection fails before the response headers, and with `BadAnswer` if the
   * response is truncated or is not HTTP.
   */
  send(request: WireRequest, options: SendOptions): Promise<WireResponse>;
  /** Closes idle connections. */
  close(): void;
}
