/** Reads pages of entries, bounded in number and bytes, and versions in columns. */
import { ApiError } from '../../api/errors.ts';
import { type Entry, type EntryPage, type ListOptions, limits, type Revision, type VersionPage } from '../contract.ts';
import { checkLimit } from '../validate.ts';
import { modRevision, type RangeAnswer, readEntry } from './answers.ts';
import { EtcdFailure } from './errors.ts';
import { integerAt } from './json.ts';
import type { Keyspace } from './keyspace.ts';

/** One range request to etcd. */
type Range = (body: object) => Promise<RangeAnswer>;

/** Entries of one request. etcd has no limit in bytes, so a response that is too large is requested again with fewer. */
const rangeEntriesMax = 5_000;
const shrinkFactor = 4;

export class PageReader {
  readonly #keyspace: Keyspace;
  readonly #range: Range;
  /** Adapted to the size of the last responses, so that not every page fails first. */
  #rangeEntries = rangeEntriesMax;

  constructor(keyspace: Keyspace, range: Range) {
    this.#keyspace = keyspace;
    this.#range = range;
  }

  async entries(prefix: string, options: ListOptions): Promise<EntryPage> {
    checkLimit(options.limit);
    const limit = options.limit ?? limits.pageEntries;
    const answer = await this.#bounded(
      { ...this.#keyspace.range(prefix, options.after), ...revisionField(options.at) },
      limit,
    );
    const entries: Entry[] = [];
    let sizeBytes = 0;
    for (const keyValue of answer.keyValues) {
      if (sizeBytes >= limits.pageBytesMax) break;
      const entry = readEntry(keyValue, this.#keyspace);
      entries.push(entry);
      sizeBytes += entry.value.byteLength;
    }
    const last = entries.at(-1);
    const page = { entries, revision: options.at ?? answer.newest };
    return last && (answer.more || entries.length < answer.keyValues.length) ? { ...page, next: last.key } : page;
  }

  /** Reads pages at one revision and keeps only their columns. */
  async versions(prefix: string, options: ListOptions): Promise<VersionPage> {
    checkLimit(options.limit);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const read = (at: Revision | undefined, after: string | undefined, wanted: number) =>
      this.#range({
        ...this.#keyspace.range(prefix, after),
        ...revisionField(at),
        keys_only: true,
        limit: String(Math.min(wanted, rangeEntriesMax)),
      });
    let answer = await read(options.at, options.after, limit);
    const revision = options.at ?? answer.newest;
    const total = Math.min(limit, answer.count);
    const keys: string[] = [];
    const revisions = new Float64Array(total);
    const created = new Float64Array(total);
    for (;;) {
      for (const keyValue of answer.keyValues.slice(0, total - keys.length)) {
        revisions[keys.length] = modRevision(keyValue);
        created[keys.length] = integerAt(keyValue, 'create_revision');
        keys.push(this.#keyspace.decode(keyValue));
      }
      if (!answer.more || keys.length >= limit) break;
      if (answer.keyValues.length === 0)
        throw new EtcdFailure('unavailable', 'malformed response: more, but an empty page');
      answer = await read(revision, keys.at(-1), limit - keys.length);
    }
    const page = { keys, revisions, created, revision };
    const last = keys.at(-1);
    return answer.more && last !== undefined ? { ...page, next: last } : page;
  }

  async #bounded(body: object, limit: number): Promise<RangeAnswer> {
    for (;;) {
      const entriesMax = Math.min(limit, this.#rangeEntries);
      try {
        const answer = await this.#range({ ...body, limit: String(entriesMax) });
        if (answer.keyValues.length >= this.#rangeEntries)
          this.#rangeEntries = Math.min(this.#rangeEntries * 2, rangeEntriesMax);
        return answer;
      } catch (error) {
        if (!(error instanceof EtcdFailure) || error.kind !== 'answerTooLarge' || entriesMax === 1) throw error;
        this.#rangeEntries = Math.max(1, Math.floor(entriesMax / shrinkFactor));
      }
    }
  }
}

/** In etcd revision 0 means the newest and an empty etcd is at 1, so our revision 0 is sent as 1. */
export function revisionField(at: Revision | undefined): { readonly revision?: string } {
  if (at === undefined) return {};
  return { revision: String(checkedRevision(at) || 1) };
}

export function checkedRevision(revision: Revision): Revision {
  if (Number.isSafeInteger(revision) && revision >= 0) return revision;
  throw new ApiError('BadRequest', { reason: `revision ${revision} is not a non-negative integer` });
}
