import { describe, expect, it } from 'vitest';
import { type Condition, conditionsSchema, findCondition, setCondition } from './condition.ts';
import { validate } from './schema/validate.ts';

const earlier = '2026-01-01T00:00:00Z';
const now = '2026-01-02T00:00:00Z';
const available: Condition = {
  type: 'Available',
  status: 'True',
  reason: 'Ready',
  message: 'all there',
  lastTransitionTime: earlier,
};
const degraded: Condition = {
  type: 'Degraded',
  status: 'False',
  reason: 'Fine',
  message: '',
  lastTransitionTime: earlier,
  observedGeneration: 1,
};
const { lastTransitionTime: _, ...sameAvailable } = available;

describe('conditions', () => {
  it('are added at the end with the time of now', () => {
    const list = setCondition([degraded], sameAvailable, now);
    expect(list).toEqual([degraded, { ...available, lastTransitionTime: now }]);
    expect(validate(conditionsSchema, list, '')).toEqual([]);
  });

  it('return the same list when nothing changed', () => {
    const list = [available, degraded];
    expect(setCondition(list, sameAvailable, now)).toBe(list);
  });

  it('update the transition time when the status changes, and keep their place', () => {
    const list = setCondition([available, degraded], { ...sameAvailable, status: 'Unknown' }, now);
    expect(list).toEqual([{ ...available, status: 'Unknown', lastTransitionTime: now }, degraded]);
  });

  it.each([{ reason: 'Other' }, { message: 'other' }, { observedGeneration: 2 }])(
    'keep their time when only %j changes',
    (change) => {
      expect(setCondition([available], { ...sameAvailable, ...change }, now)).toEqual([{ ...available, ...change }]);
    },
  );

  it('drop an observed generation that is no longer set', () => {
    const { lastTransitionTime, observedGeneration, ...rest } = degraded;
    expect(setCondition([degraded], rest, now)).toEqual([{ ...rest, lastTransitionTime }]);
    expect(observedGeneration).toBe(1);
  });

  it('do not change the list they are given', () => {
    const list = Object.freeze([Object.freeze({ ...available })]);
    expect(setCondition(list, { ...sameAvailable, status: 'False' }, now)[0]?.status).toBe('False');
    expect(list[0]?.status).toBe('True');
  });

  it('are found by type', () => {
    expect(findCondition([available, degraded], 'Degraded')).toBe(degraded);
    expect(findCondition([], 'Degraded')).toBeUndefined();
    expect(findCondition(undefined, 'Degraded')).toBeUndefined();
  });

  it('have one entry a type and a one-word reason', () => {
    const errors = validate(conditionsSchema, [available, { ...available, reason: 'two words' }], 'conditions');
    expect(errors.map(({ path, type }) => `${path}: ${type}`)).toEqual([
      'conditions[1].reason: Invalid value',
      'conditions[1].type: Duplicate value',
    ]);
  });
});
