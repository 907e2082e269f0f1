/** Counts the attempts and bytes per endpoint, to measure the use of a narrow link. */
import type { ErrorCode } from '@ecsm/runtime';

export interface AttemptRecord {
  /** A template without ids: `GET /service/:id`. */
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

/** Maximum number of endpoints that are counted separately. The platform has about a hundred. */
export const endpointsMax = 1_000;
/** The count of all further endpoints. */
export const otherEndpoints = '(other)';

const noUse: LinkUse = { calls: 0, failures: 0, bytesUp: 0, bytesDown: 0 };

export class Recorder {
  readonly #uses = new Map<string, LinkUse>();
  readonly #listener: ((attempt: AttemptRecord) => void) | undefined;

  /** The listener is called with every attempt, for metrics. */
  constructor(listener?: (attempt: AttemptRecord) => void) {
    this.#listener = listener;
  }

  record(attempt: AttemptRecord): void {
    const isListed = this.#uses.has(attempt.endpoint) || this.#uses.size < endpointsMax;
    const endpoint = isListed ? attempt.endpoint : otherEndpoints;
    const { bytesUp, bytesDown } = attempt;
    const use = { calls: 1, failures: attempt.outcome === 'ok' ? 0 : 1, bytesUp, bytesDown };
    this.#uses.set(endpoint, sum(this.#uses.get(endpoint) ?? noUse, use));
    this.#listener?.(attempt);
  }

  totals(): LinkUse {
    return [...this.#uses.values()].reduce(sum, noUse);
  }

  /** In both directions. */
  bytesOf(endpoint: string): number {
    const { bytesUp, bytesDown } = this.#uses.get(endpoint) ?? noUse;
    return bytesUp + bytesDown;
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
