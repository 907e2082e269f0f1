import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { Agenda } from './agenda.ts';
import type { Appointment } from './model.ts';

const at = (atMs: number, number: number): Appointment => ({ atMs, number, what: 'up', subject: '', step: 0 });

describe('the agenda', () => {
  it('gives what is due, the earliest first, and of two at once the one that was planned first', () => {
    const random = new SeededRandom(3);
    const agenda = new Agenda();
    const planned = Array.from({ length: 500 }, (_, number) => at(random.integer(0, 50), number));
    for (const appointment of planned) agenda.add(appointment);
    const inOrder = [...planned].sort((a, b) => a.atMs - b.atMs || a.number - b.number);
    expect(agenda.inOrder()).toEqual(inOrder);
    const taken: Appointment[] = [];
    for (let next = agenda.takeDue(25); next !== undefined; next = agenda.takeDue(25)) taken.push(next);
    expect(taken).toEqual(inOrder.filter(({ atMs }) => atMs <= 25));
    expect(agenda.first?.atMs).toBe(26);
    expect(agenda.size).toBe(500 - taken.length);
  });

  it('has nothing to give when it is empty', () => {
    const agenda = new Agenda();
    agenda.add(at(1, 1));
    agenda.takeDue(1);
    expect([agenda.first, agenda.takeDue(9), agenda.size]).toEqual([undefined, undefined, 0]);
  });
});
