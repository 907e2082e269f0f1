/** Counts what goes over the link, attempt by attempt. The link is the scarce resource; this is how its use is known. */
import type { ErrorCode } from '@ecsm/runtime';

export interface AttemptRecord {
  /** A template, `GET /service/:id`: the ids of thousands of services are one line. */
  readonly endpoint: string;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly outcome: 'ok' | 'Aborted' | ErrorCode;
  readonly durationMs: number;
}

export interface LinkUse {
  readonly calls: number;
  readonly failures: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

export interface EndpointUse extends LinkUse {
  readonly endpoint: string;
}

/** Endpoints that are counted one by one. The platform has about a hundred; a path made by hand could add any number. */
export const endpointsMax = 1_000;
/** Where the others are counted. */
export const otherEndpoints = '(other)';

const nothing: LinkUse = { calls: 0, failures: 0, bytesUp: 0, bytesDown: 0 };

export class Recorder {
  readonly #uses = new Map<string, LinkUse>();
  readonly #listener: ((attempt: AttemptRecord) => void) | undefined;

  /** The listener hears of every attempt, with its outcome and duration: metrics are made from it. */
  constructor(listener?: (attempt: AttemptRecord) => void) {
    this.#listener = listener;
  }

  record(attempt: AttemptRecord): void {
    const isListed = this.#uses.has(attempt.endpoint) || this.#uses.size < endpointsMax;
    const endpoint = isListed ? attempt.endpoint : otherEndpoints;
    const { bytesUp, bytesDown } = attempt;
    const use = { calls: 1, failures: attempt.outcome === 'ok' ? 0 : 1, bytesUp, bytesDown };
    this.#uses.set(endpoint, sum(this.#uses.get(endpoint) ?? nothing, use));
    this.#listener?.(attempt);
  }

  totals(): LinkUse {
    return [...this.#uses.values()].reduce(sum, nothing);
  }

  /** Sorted by endpoint. */
  byEndpoint(): readonly EndpointUse[] {
    return [...this.#uses]
      .map(([endpoint, use]) => ({ endpoint, ...use }))
      .sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
  }

  reset(): void {
    this.#uses.clear();
  }
}

function sum(one: LinkUse, other: LinkUse): LinkUse {
  return {
    calls: one.calls + other.calls,
    failures: one.failures + other.failures,
    bytesUp: one.bytesUp + other.bytesUp,
    bytesDown: one.bytesDown + other.bytesDown,
  };
}
