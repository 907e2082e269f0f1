/** Parses etcd's responses: a range, a transaction, a message of a watch. */
import type { Change, Entry, Revision, WatchOptions } from '../contract.ts';
import { EtcdFailure, malformed, reportedFailure } from './errors.ts';
import {
  bytesAt,
  flagAt,
  integerAt,
  type JsonObject,
  objectAt,
  objectsAt,
  parseObject,
  requiredObjectAt,
  stringAt,
} from './json.ts';
import type { Keyspace } from './keyspace.ts';

export type Detail = NonNullable<WatchOptions['detail']>;

export interface RangeAnswer {
  readonly keyValues: readonly JsonObject[];
  /** All keys of the range, also those beyond the limit. */
  readonly count: number;
  readonly more: boolean;
  /** The newest revision of the store, not the one of the read. */
  readonly newest: Revision;
}

export function readRange(answer: JsonObject): RangeAnswer {
  return {
    keyValues: objectsAt(answer, 'kvs'),
    count: integerAt(answer, 'count'),
    more: flagAt(answer, 'more'),
    newest: headerRevision(answer),
  };
}

export function readEntry(keyValue: JsonObject, keyspace: Keyspace): Entry {
  return {
    key: keyspace.decode(keyValue),
    value: bytesAt(keyValue, 'value'),
    revision: modRevision(keyValue),
    created: integerAt(keyValue, 'create_revision'),
  };
}

export function modRevision(keyValue: JsonObject): Revision {
  const revision = integerAt(keyValue, 'mod_revision');
  if (revision < 1) throw malformed('a key-value without mod_revision');
  return revision;
}

export interface TransactionAnswer {
  readonly succeeded: boolean;
  readonly revision: Revision;
  /** For each range of the branch that ran, its key-value, if the key exists. */
  readonly ranges: readonly (JsonObject | undefined)[];
}

export function readTransaction(answer: JsonObject): TransactionAnswer {
  return {
    succeeded: flagAt(answer, 'succeeded'),
    revision: headerRevision(answer),
    ranges: objectsAt(answer, 'responses')
      .map((response) => objectAt(response, 'response_range'))
      .filter((range) => range !== undefined)
      .map((range) => objectsAt(range, 'kvs')[0]),
  };
}

function headerRevision(answer: JsonObject): Revision {
  const revision = integerAt(requiredObjectAt(answer, 'header'), 'revision');
  // An empty etcd is at revision 1, so a header without a revision is not from etcd.
  if (revision < 1) throw malformed('the header has no revision');
  return revision;
}

type WatchMessage =
  | { readonly type: 'created' }
  | { readonly type: 'canceled'; readonly failure: EtcdFailure }
  /** Everything up to this revision has been delivered. */
  | { readonly type: 'progress'; readonly revision: Revision }
  /** With `more`, the events of the last revision continue in the next message. */
  | { readonly type: 'events'; readonly events: readonly JsonObject[]; readonly more: boolean };

/** Parses one line of a watch response. */
export function readWatchMessage(line: string): WatchMessage {
  const answer = parseObject(line);
  const error = objectAt(answer, 'error');
  if (error) {
    const code = integerAt(error, 'grpc_code') || integerAt(error, 'code');
    return { type: 'canceled', failure: reportedFailure(stringAt(error, 'message'), code) };
  }
  const result = requiredObjectAt(answer, 'result');
  // A refused watch is `created` and `canceled` in one message, so `canceled` is checked first.
  if (flagAt(result, 'canceled')) return { type: 'canceled', failure: cancelFailure(result) };
  if (flagAt(result, 'created')) return { type: 'created' };
  const events = objectsAt(result, 'events');
  if (events.length === 0) return { type: 'progress', revision: headerRevision(result) };
  return { type: 'events', events, more: flagAt(result, 'fragment') };
}

function cancelFailure(result: JsonObject): EtcdFailure {
  const compacted = integerAt(result, 'compact_revision');
  if (compacted > 0) return new EtcdFailure('compacted', `the history before revision ${compacted} has been compacted`);
  return reportedFailure(stringAt(result, 'cancel_reason') || 'etcd ended the watch without a reason', 0);
}

const nothing = new Uint8Array(0);

export function readChange(event: JsonObject, keyspace: Keyspace, detail: Detail): Change {
  const keyValue = requiredObjectAt(event, 'kv');
  const key = keyspace.decode(keyValue);
  const deleted = event['type'] === 'DELETE';
  const created = integerAt(keyValue, 'create_revision');
  const before = detail === 'history' ? objectAt(event, 'prev_kv') : undefined;
  if (detail === 'history' && before === undefined && (deleted || created !== modRevision(keyValue))) {
    // etcd reads the previous value when it sends the event, and omits it if it is compacted by then.
    throw new EtcdFailure(
      'compacted',
      `the value of "${key}" before revision ${modRevision(keyValue)} has been compacted`,
    );
  }
  const previous = before === undefined ? {} : { previous: bytesAt(before, 'value') };
  if (deleted) return { type: 'delete', key, ...previous };
  return { type: 'put', key, value: detail === 'keys' ? nothing : bytesAt(keyValue, 'value'), created, ...previous };
}
