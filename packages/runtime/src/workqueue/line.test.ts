import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Line, type LineItem } from './line.ts';

interface Person extends LineItem<Person> {
  readonly name: string;
}

describe('a line', () => {
  it('knows its oldest, wherever others leave', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), (steps) => {
        const line = new Line<Person>();
        let standing: Person[] = [];
        for (const [number, step] of steps.entries()) {
          const leaving = step === null ? undefined : standing[step % standing.length];
          if (leaving) {
            line.leave(leaving);
            standing = standing.filter((person) => person !== leaving);
            expect([leaving.older, leaving.newer]).toEqual([undefined, undefined]);
          } else {
            const person: Person = { name: `${number}`, older: undefined, newer: undefined };
            line.join(person);
            standing.push(person);
          }
          expect(line.oldest).toBe(standing[0]);
          expect(line.size).toBe(standing.length);
        }
      }),
    );
  });
});
