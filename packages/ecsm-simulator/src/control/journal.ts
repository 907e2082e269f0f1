/**
 * Every call that was made, and what became of it: the last ones in full, all of them in numbers. Times come from the
 * clock, so the same seed and the same calls give the same journal.
 */
import { redactText } from '@ecsm/runtime';
import type { ObservedCall, ObservedFate } from '../link/journey.ts';
import { bodyExcerpt } from './excerpt.ts';

export interface JournalEntry {
  /** From 1, without gaps. */
  readonly number: number;
  /** When the call began. */
  readonly timeMs: number;
  readonly method: string;
  /** With the query. */
  readonly target: string;
  /** `GET /service/:id` */
  readonly endpoint: string;
  readonly fate: ObservedFate;
  /** HTTP status; null if the platform never saw the request. */
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
  /** Those that did not end with HTTP 200 and code 200 at the caller. */
  readonly failures: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

export const journalLimits = {
  entriesMax: 10_000,
  bodyCharactersMax: 500,
  targetCharactersMax: 2_000,
} as const;

const nothing: Count = { calls: 0, failures: 0, bytesUp: 0, bytesDown: 0 };

export interface JournalOptions {
  /** Which endpoint a call belongs to. There must be few: each is counted for ever. */
  readonly endpointOf: (method: string, path: string) => string;
}

export class Journal {
  readonly #endpointOf: JournalOptions['endpointOf'];
  /** A ring: entry `number` lies at `number % entriesMax`. */
  readonly #entries: JournalEntry[] = [];
  readonly #counts = new Map<string, Count>();
  #totals = nothing;
  #last = 0;
  #cleared = 0;

  constructor({ endpointOf }: JournalOptions) {
    this.#endpointOf = endpointOf;
  }

  record(call: ObservedCall): JournalEntry {
    const { request, answer, fate } = call;
    const entry: JournalEntry = {
      number: ++this.#last,
      timeMs: call.startedMs,
      method: request.method,
      target: redactText(request.target.slice(0, journalLimits.targetCharactersMax)),
      endpoint: this.#endpointOf(request.method, request.target.split('?', 1)[0] ?? ''),
      fate,
      status: answer?.status ?? null,
      code: answer ? businessCode(answer.body) : null,
      bytesUp: call.bytesUp,
      bytesDown: call.bytesDown,
      durationMs: call.durationMs,
      request: bodyExcerpt(request.body, journalLimits.bodyCharactersMax),
      answer: answer ? bodyExcerpt(answer.body, journalLimits.bodyCharactersMax) : '',
    };
    this.#entries[entry.number % journalLimits.entriesMax] = entry;
    this.#totals = added(this.#totals, entry);
    this.#counts.set(entry.endpoint, added(this.#counts.get(entry.endpoint) ?? nothing, entry));
    return entry;
  }

  /** Of the newest entry; 0 if there never was one. */
  get last(): number {
    return this.#last;
  }

  get totals(): Count {
    return this.#totals;
  }

  /** In order of their names. */
  byEndpoint(): readonly (Count & { readonly endpoint: string })[] {
    return [...this.#counts]
      .map(([endpoint, count]) => ({ endpoint, ...count }))
      .sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
  }

  /** The oldest first. What has dropped out of the ring is left out. */
  entries(after = 0, limit: number = journalLimits.entriesMax): readonly JournalEntry[] {
    const first = Math.max(after, this.#cleared, this.#last - journalLimits.entriesMax) + 1;
    const found: JournalEntry[] = [];
    for (let number = first; number <= this.#last && found.length < limit; number++) {
      const entry = this.#entries[number % journalLimits.entriesMax];
      if (entry) found.push(entry);
    }
    return found;
  }

  /** Forgets entries and counts. Numbers go on, so that whoever follows the journal misses nothing. */
  clear(): void {
    this.#entries.length = 0;
    this.#counts.clear();
    this.#totals = nothing;
    this.#cleared = this.#last;
  }
}

function added(count: Count, { fate, status, code, bytesUp, bytesDown }: JournalEntry): Count {
  const isFine = fate === 'answered' && status === 200 && code === 200;
  return {
    calls: count.calls + 1,
    failures: count.failures + (isFine ? 0 : 1),
    bytesUp: count.bytesUp + bytesUp,
    bytesDown: count.bytesDown + bytesDown,
  };
}

/** Long answers are many, so only the beginning is looked at; that is where the API puts it. */
function businessCode(body: Uint8Array): number | null {
  const beginning = String.fromCharCode(...body.subarray(0, 40));
  const found = /^\s*\{\s*"status"\s*:\s*(\d{1,9})\b/.exec(beginning);
  return found ? Number(found[1]) : null;
}
