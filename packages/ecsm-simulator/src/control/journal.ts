/**
 * The journal of calls: the last ones with details, and counts of all. Times are those of the injected clock, so the
 * same seed and calls give the same journal.
 */
import { redactText } from '@ecsm/runtime';
import type { ObservedCall, ObservedFate } from '../link/simulated-call.ts';
import { bodyExcerpt } from './excerpt.ts';

export interface JournalEntry {
  /** Starts at 1, without gaps. */
  readonly number: number;
  /** The start of the call. */
  readonly timeMs: number;
  readonly method: string;
  /** With the query. */
  readonly target: string;
  /** `GET /service/:id` */
  readonly endpoint: string;
  readonly fate: ObservedFate;
  /** HTTP status; null if the platform did not receive the request. */
  readonly status: number | null;
  /** `status` of the envelope; null if there was none. */
  readonly code: number | null;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly durationMs: number;
  /** Without secrets, cut to `journalLimits.bodyCharactersMax`. */
  readonly request: string;
  readonly answer: string;
}

export interface Count {
  readonly calls: number;
  /** Calls whose caller did not receive HTTP 200, or 304 for a response that it has, and code 200. */
  readonly failures: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

export const journalLimits = {
  entriesMax: 10_000,
  bodyCharactersMax: 500,
  targetCharactersMax: 2_000,
} as const;

const noCalls: Count = { calls: 0, failures: 0, bytesUp: 0, bytesDown: 0 };

interface JournalOptions {
  /** Returns the endpoint of a call. The number of endpoints must be bounded: their counts are kept. */
  readonly endpointOf: (method: string, path: string) => string;
}

export class Journal {
  readonly #endpointOf: JournalOptions['endpointOf'];
  /** A ring buffer: entry `number` is at `number % entriesMax`. */
  readonly #entries: JournalEntry[] = [];
  readonly #counts = new Map<string, Count>();
  #totals = noCalls;
  #last = 0;
  #cleared = 0;

  constructor({ endpointOf }: JournalOptions) {
    this.#endpointOf = endpointOf;
  }

  record(call: ObservedCall): JournalEntry {
    const { request, response, fate } = call;
    const entry: JournalEntry = {
      number: ++this.#last,
      timeMs: call.startedMs,
      method: request.method,
      target: redactText(request.target.slice(0, journalLimits.targetCharactersMax)),
      endpoint: this.#endpointOf(request.method, request.target.split('?', 1)[0] ?? ''),
      fate,
      status: call.status,
      code: response ? businessCode(response.body) : null,
      bytesUp: call.bytesUp,
      bytesDown: call.bytesDown,
      durationMs: call.durationMs,
      request: bodyExcerpt(request.body, journalLimits.bodyCharactersMax),
      answer: response ? bodyExcerpt(response.body, journalLimits.bodyCharactersMax) : '',
    };
    this.#entries[entry.number % journalLimits.entriesMax] = entry;
    this.#totals = addEntry(this.#totals, entry);
    this.#counts.set(entry.endpoint, addEntry(this.#counts.get(entry.endpoint) ?? noCalls, entry));
    return entry;
  }

  /** Number of the newest entry; 0 if there was none. */
  get last(): number {
    return this.#last;
  }

  get totals(): Count {
    return this.#totals;
  }

  /** Sorted by endpoint. */
  byEndpoint(): readonly (Count & { readonly endpoint: string })[] {
    return [...this.#counts]
      .map(([endpoint, count]) => ({ endpoint, ...count }))
      .sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
  }

  /** Oldest first, from those that are still kept. */
  entries(after = 0, limit: number = journalLimits.entriesMax): readonly JournalEntry[] {
    const first = Math.max(after, this.#cleared, this.#last - journalLimits.entriesMax) + 1;
    const found: JournalEntry[] = [];
    for (let number = first; number <= this.#last && found.length < limit; number++) {
      const entry = this.#entries[number % journalLimits.entriesMax];
      if (entry) found.push(entry);
    }
    return found;
  }

  /** Removes entries and counts. Numbering continues, so that `after` of a reader stays valid. */
  clear(): void {
    this.#entries.length = 0;
    this.#counts.clear();
    this.#totals = noCalls;
    this.#cleared = this.#last;
  }
}

function addEntry(count: Count, { fate, status, code, bytesUp, bytesDown }: JournalEntry): Count {
  const isSuccess = fate === 'answered' && (status === 200 || status === 304) && code === 200;
  return {
    calls: count.calls + 1,
    failures: count.failures + (isSuccess ? 0 : 1),
    bytesUp: count.bytesUp + bytesUp,
    bytesDown: count.bytesDown + bytesDown,
  };
}

/** The code of the envelope. Only the start of the body is read, where the API writes it. */
function businessCode(body: Uint8Array): number | null {
  const start = String.fromCharCode(...body.subarray(0, 40));
  const found = /^\s*\{\s*"status"\s*:\s*(\d{1,9})\b/.exec(start);
  return found ? Number(found[1]) : null;
}
