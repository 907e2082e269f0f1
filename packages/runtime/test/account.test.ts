/** Goal: the checker of the tests with real processes reports each kind of loss. */
import { describe, expect, it } from 'vitest';
import { Account } from './account.kit.ts';
import type { Seen } from './worker/watcher.ts';

const key = (n: number) => `example.io/v1/things/writer1/0-${n}`;
const loop = 'writer1/0';

/** Two commits are acknowledged, the third was in flight. */
function account(): Account {
  const lines = [
    { loop, intends: { [key(1)]: 1, [key(2)]: 2 } },
    { loop, revision: 1 },
    { read: 1 },
    { loop, intends: { [key(1)]: null } },
    { loop, revision: 2 },
    { loop, intends: { [key(3)]: 3, [key(4)]: 4 } },
  ];
  const made = new Account();
  made.add(lines);
  return made;
}

const first: Seen = {
  revision: 1,
  changes: [
    [key(1), 1],
    [key(2), 2],
  ],
};
const second: Seen = { revision: 2, changes: [[key(1), null]] };
const third: Seen = {
  revision: 3,
  changes: [
    [key(3), 3],
    [key(4), 4],
  ],
};

describe('an account of acknowledged commits', () => {
  it('matches a log that has all of them, with or without the one in flight', () => {
    expect(account().compare([first, second])).toEqual([]);
    expect(account().compare([first, second, third])).toEqual([]);
    expect([account().acknowledged, account().open]).toEqual([2, 1]);
  });

  it.each<[string, Seen[], RegExp]>([
    ['that is missing', [first], /3 intended, 2 acknowledged, 1 in the log/],
    ['at another revision', [first, { ...second, revision: 3 }], /acknowledged as 2 and is 3/],
    ['in another order', [second, first], /revision 1 comes after 2/],
    ['of which a part is there', [first, second, { ...third, changes: [[key(3), 3]] }], /instead of/],
    ['with another value', [{ ...first, changes: [[key(1), 1]] }, second], /instead of/],
    ['that is there twice', [first, second, third, { ...third, revision: 4 }], /2 acknowledged, 4 in the log/],
    ['of two revisions that are the same', [first, { ...second, revision: 1 }], /revision 1 comes after 1/],
    [
      'without a writer',
      [first, second, { revision: 3, changes: [['example.io/v1/things/other/0-1', 1]] }],
      /other\/0/,
    ],
  ])('reports a commit %s', (_, log, problem) => {
    expect(account().compare(log).join('\n')).toMatch(problem);
  });
});
