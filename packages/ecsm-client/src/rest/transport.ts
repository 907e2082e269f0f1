/**
 * The link to the platform, as a port: one request out, one answer back. Production sends over `node:http`; a test or a
 * simulation calls a simulated platform in the same process. It is a pipe: it knows no envelope, no retry, no deadline.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface WireRequest {
  readonly method: Method;
  /** With the query, as it goes on the wire: `/api/v1/service?pageNum=1&pageSize=100`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Bytes that went over the link for one request, heads included. A transport adds to it as they go, also when it fails. */
export interface Meter {
  bytesUp: number;
  bytesDown: number;
}

export interface SendOptions {
  /** When it aborts, the request is given up, and its connection with it. The promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** A longer answer is given up with `TooLarge`. */
  readonly answerBytesMax: number;
  readonly meter: Meter;
}

export interface Transport {
  /**
   * Rejects with `Unavailable` when there is no connection or it breaks before the head of an answer, with `BadAnswer`
   * when it breaks in the middle of one or what came is not HTTP.
   */
  send(request: WireRequest, options: SendOptions): Promise<WireAnswer>;
  /** Lets go of idle connections. */
  close(): void;
}
