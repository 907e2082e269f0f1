import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';
import type { ScheduledEvent } from './model.ts';

const at = (atMs: number, number: number): ScheduledEvent => ({ atMs, number, what: 'up', subject: '', step: 0 });

describe('the event queue', () => {
  it('returns due events by time, and then in order of scheduling', () => {
    const random = new SeededRandom(3);
    const agenda = new EventQueue();
    const planned = Array.from({ length: 500 }, (_, number) => at(random.integer(0, 50), number));
    for (const event of planned) agenda.add(event);
    const inOrder = [...planned].sort((a, b) => a.atMs - b.atMs || a.number - b.number);
    expect(agenda.inOrder()).toEqual(inOrder);
    const taken: ScheduledEvent[] = [];
    for (let next = agenda.takeDue(25); next !== undefined; next = agenda.takeDue(25)) taken.push(next);
    expect(taken).toEqual(inOrder.filter(({ atMs }) => atMs <= 25));
    expect(agenda.first?.atMs).toBe(26);
    expect(agenda.size).toBe(500 - taken.length);
  });

  it('returns undefined when it is empty', () => {
    const agenda = new EventQueue();
    agenda.add(at(1, 1));
    agenda.takeDue(1);
    expect([agenda.first, agenda.takeDue(9), agenda.size]).toEqual([undefined, undefined, 0]);
  });
});
