/** One request and its answer, as bytes: what the shells (a socket, a function call) hand to the platform and get back. */

export interface Request {
  readonly method: string;
  /** With the query, as it came: `/api/v1/service?pageNum=1&pageSize=10`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The platform's API, or its control API: always answers, never throws. */
export type Handler = (request: Request) => Answer;
