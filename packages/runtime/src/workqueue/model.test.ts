/**
 * Goal: for any order of adds, retries, takes and dones, the queue returns the expected keys at the expected time,
 * to whom it should. Method: random operations on a virtual clock, on the queue and on a simple model beside it, compared
 * after every step. Where the clock is set back and forth there is no model; there, plain rules judge the history.
 */
import { VirtualClock } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageingMs, keys, type Operation, operation, QueueModel } from './model.kit.ts';
import { type QueueItem, WorkQueue } from './queue.ts';

const microtasks = async () => {
  for (let turn = 0; turn < 3; turn++) await undefined;
};

/** Runs an operation on both, with the same choices. */
function perform(step: Operation, number: number, queue: WorkQueue, model: QueueModel, clock: VirtualClock): void {
  const reason = `operation ${number}`;
  const retry = (key: string) => expect(queue.retry(key, reason)).toBe(model.retry(key, reason));
  if (step.do === 'add') {
    queue.add(step.key, { reason, priority: step.priority, afterMs: step.afterMs });
    model.add(step.key, reason, step.priority, step.afterMs);
  } else if (step.do === 'retry') {
    retry(step.key);
  } else if (step.do === 'forget') {
    queue.forget(step.key);
    model.failures.delete(step.key);
  } else if (step.do === 'advance') {
    clock.advanceSync(step.ms);
    model.advance(step.ms);
  } else if (step.do === 'take') {
    model.take();
  } else if (step.do === 'done') {
    const key = [...model.running.keys()][step.which % model.running.size];
    if (key === undefined) return;
    if (step.failed) retry(key);
    queue.done(key);
    model.done(key);
  }
}

describe('a work queue beside its model', () => {
  it('hands out the same keys at the same time in the same order to the same takers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 120, size: 'max' }), async (operations) => {
        const clock = new VirtualClock();
        const queue = new WorkQueue({ clock, ageingMs });
        const model = new QueueModel();
        const handed: [number, QueueItem | undefined][] = [];
        let takers = 0;
        for (const [number, step] of operations.entries()) {
          if (step.do === 'take') {
            const taker = takers++;
            void queue.take().then((item) => handed.push([taker, item]));
          }
          perform(step, number, queue, model, clock);
          await microtasks();
          // What was handed out in this step; comparing all of it each time would be quadratic.
          expect(handed.splice(0)).toEqual(model.handed.splice(0));
          expect([queue.depth, queue.delayed, queue.processing]).toEqual([
            model.ready.length,
            model.delayed.length,
            model.running.size,
          ]);
          expect([queue.oldestWaitMs, queue.longestRunningMs]).toEqual([model.oldestWaitMs, model.longestRunningMs]);
          expect(keys.map((key) => queue.attempts(key))).toEqual(keys.map((key) => model.failures.get(key) ?? 0));
          expect(clock.timers).toBe(queue.delayed > 0 ? 1 : 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a work queue whose clock is set back and forth', () => {
  const stepMs = fc.integer({ min: -10_000_000, max: 10_000_000 });
  const unruly = fc.oneof(
    { weight: 4, arbitrary: operation },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('step'), ms: stepMs }) },
  );

  it('never has a key in flight twice, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(unruly, { maxLength: 120, size: 'max' }), async (operations) => {
        const clock = new VirtualClock();
        const inFlight = new Set<string>();
        const asked = new Set<string>();
        const taken = ({ key, waitedMs }: QueueItem) => {
          expect(inFlight).not.toContain(key);
          expect(waitedMs).toBeGreaterThanOrEqual(0);
          inFlight.add(key);
          asked.delete(key);
        };
        const queue = new WorkQueue({ clock, ageingMs, observer: { taken } });
        const finish = (key: string) => {
          inFlight.delete(key);
          queue.done(key);
        };
        for (const step of operations) {
          if (step.do === 'step') clock.step(step.ms);
          else if (step.do === 'advance') clock.advanceSync(step.ms);
          else if (step.do === 'take') void queue.take();
          else if (step.do === 'forget') queue.forget(step.key);
          else if (step.do === 'done') {
            const key = [...inFlight][step.which % inFlight.size];
            if (key !== undefined) finish(key);
          } else {
            // First, because a waiting taker may have the key before `add` returns.
            asked.add(step.key);
            if (step.do === 'add') queue.add(step.key, step);
            else queue.retry(step.key);
          }
        }
        // No delay here is over 200 s, and setting the clock back costs a delayed key less than a timer's round.
        for (let round = 0; round < 20; round++) {
          clock.advanceSync(200_000);
          for (const key of [...inFlight]) finish(key);
          while (queue.depth > 0) void queue.take();
        }
        for (const key of [...inFlight]) finish(key);
        expect([...asked]).toEqual([]);
        expect([queue.depth, queue.delayed, queue.processing]).toEqual([0, 0, 0]);
      }),
      { numRuns: 500 },
    );
  });
});
