/** What travels on the link: requests, answers, and whoever answers them. */

export interface Request {
  readonly method: string;
  /** With the query, as it goes on the wire: `/api/v1/service?pageNum=1&pageSize=10`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Always answers, never throws. */
export type Handler = (request: Request) => Answer;

/**
 * Whether a call is for the control API, below `/sim`. No fault of the link concerns it: whoever breaks things must be
 * able to mend them.
 */
export function isControl(target: string): boolean {
  return /^\/sim(?:[/?]|$)/.test(target);
}
