import { describe, expect, it } from 'vitest';
import type { Revision } from '../contract.ts';
import type { Plan } from './plan.ts';
import { RecentRows } from './recent-rows.ts';
import { type Row, rowNumber } from './row.ts';

const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();
const row = (
  revision: Revision,
  key: string,
  value: string | undefined,
  previous: Revision = 0,
  position = 0,
): Row => ({
  number: rowNumber(revision, position),
  key,
  created: 1,
  previous: previous === 0 ? 0 : rowNumber(previous, 0),
  timeMs: 0,
  value: value === undefined ? undefined : Buffer.from(value),
});
const plan = (since: Revision, revision: Revision, ...rows: Row[]): Plan => ({
  since,
  revision,
  rows,
  pointers: new Map(),
  outcomes: [],
});
const nowhere = () => {
  throw new Error('the log was read');
};

describe('RecentRows', () => {
  it('has the commits after a revision, with their keys, values or history', () => {
    const recent = new RecentRows();
    recent.add(plan(4, 6, row(5, 'a/x', 'one'), row(6, 'b/y', 'two'), row(6, 'a/z', undefined, 3, 1)));
    expect(recent.read(4, 'a/', 'keys', 0, nowhere)).toEqual({
      commits: [
        { revision: 5, changes: [{ type: 'put', key: 'a/x', value: new Uint8Array(0), created: 1 }] },
        { revision: 6, changes: [{ type: 'delete', key: 'a/z' }] },
      ],
      through: 6,
    });
    const [values] = recent.read(4, 'a/', 'values', 6, nowhere)?.commits ?? [];
    const [change] = values?.changes ?? [];
    expect(change?.type === 'put' && text(change.value)).toBe('one');
    const found = recent.read(5, '', 'history', 6, (number) => Buffer.from(`row ${number}`));
    expect(found?.commits.flatMap(({ changes }) => changes.map(({ previous }) => text(previous)))).toEqual([
      undefined,
      `row ${rowNumber(3, 0)}`,
    ]);
    expect(recent.read(6, '', 'values', 6, nowhere)).toEqual({ commits: [], through: 6 });
  });

  it('looks for a replaced value once, and not at all if its entry was read before', () => {
    const recent = new RecentRows();
    recent.remember({ key: 'a', value: Buffer.from('read'), revision: 3, created: 1 });
    recent.remember({ key: 'b', value: Buffer.from('older'), revision: 2, created: 1 });
    recent.add(plan(4, 5, row(5, 'a', 'new', 3), row(5, 'b', 'new', 3, 1)));
    let reads = 0;
    const find = () => {
      reads++;
      return Buffer.from('found');
    };
    for (let n = 0; n < 2; n++) {
      const [commit] = recent.read(4, '', 'history', 5, find)?.commits ?? [];
      expect(commit?.changes.map(({ previous }) => text(previous))).toEqual(['read', 'found']);
    }
    expect(reads).toBe(1);
  });

  it('leaves it to the log if another process has written before, since, or if it discarded a commit', () => {
    const recent = new RecentRows();
    expect(recent.read(0, '', 'keys', 0, nowhere)).toBeUndefined();
    recent.add(plan(4, 5, row(5, 'a', 'one')));
    expect(recent.read(3, '', 'keys', 5, nowhere)).toBeUndefined();
    expect(recent.read(5, '', 'keys', 6, nowhere)).toBeUndefined();
    recent.add(plan(6, 7, row(7, 'a', 'two')));
    expect(recent.read(5, '', 'keys', 7, nowhere)).toBeUndefined();
    expect(recent.read(6, '', 'keys', 7, nowhere)?.commits).toHaveLength(1);
    for (let n = 7; n < 400; n++) recent.add(plan(n, n + 1, row(n + 1, 'a', 'x')));
    expect(recent.read(7, '', 'keys', 400, nowhere)).toBeUndefined();
    expect(recent.read(200, '', 'keys', 400, nowhere)?.commits).toHaveLength(200);
    const large = 'x'.repeat(150_000);
    recent.add(plan(400, 401, row(401, 'a', large)));
    recent.add(plan(401, 402, row(402, 'a', large)));
    expect(recent.read(400, '', 'keys', 402, nowhere)).toBeUndefined();
    expect(recent.read(401, '', 'keys', 402, nowhere)?.commits).toHaveLength(1);
  });

  it('keeps its own copy of a value', () => {
    const recent = new RecentRows();
    const written = row(5, 'a', 'one');
    recent.add(plan(4, 5, written));
    written.value?.fill(0);
    const [change] = recent.read(4, '', 'values', 5, nowhere)?.commits[0]?.changes ?? [];
    expect(change?.type === 'put' && text(change.value)).toBe('one');
  });
});
