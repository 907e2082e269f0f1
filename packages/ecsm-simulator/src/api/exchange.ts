/** Requests and responses of the simulated platform, independent of the transport. */

export interface Request {
  readonly method: string;
  /** Path and query: `/api/v1/service?pageNum=1&pageSize=10`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The platform's API, or its control API. Never throws. */
export type Handler = (request: Request) => Response;
