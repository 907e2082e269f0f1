import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { outcomeOf, outcomeOfError } from './outcome.ts';

const object = { kind: 'Widget', name: 'a' };

describe('the outcome of a reconcile', () => {
  it.each([
    ['backs off', 'error', new ApiError('Unavailable', { what: 'the store', reason: 'down' })],
    ['backs off', 'error', new ApiError('NotFound', object)],
    ['backs off', 'error', new ApiError('AlreadyExists', object)],
    ['backs off', 'error', new ApiError('Unauthorized', { reason: 'the token has expired' })],
    ['backs off', 'error', new ApiError('Forbidden', { reason: 'a role is missing' })],
    ['backs off', 'error', new ApiError('ReadOnly', { what: 'the registry', reason: 'the disk is read-only' })],
    ['looks again at once', 'conflict', new ApiError('Conflict', { ...object, reason: 'modified' })],
    ['waits for a change', 'terminal', new ApiError('Invalid', { ...object, errors: [] })],
    ['reports a bug', 'panic', new ApiError('Closed', { what: 'the store' })],
    ['reports a bug', 'panic', new TypeError('a bug')],
  ])('%s: %s after %s', (_, is, error) => {
    expect(outcomeOfError(error)).toEqual({ is, error });
  });

  it('is a requeue after the requested delay, which is never negative', () => {
    expect(outcomeOf(undefined)).toEqual({ is: 'success' });
    expect(outcomeOf({ requeueAfterMs: 0 })).toEqual({ is: 'requeue after', delayMs: 0 });
    expect(outcomeOf({ requeueAfterMs: -5 })).toEqual({ is: 'requeue after', delayMs: 0 });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is a bug if the delay is %s', (requeueAfterMs) => {
    expect(outcomeOf({ requeueAfterMs })).toMatchObject({ is: 'panic' });
  });
});
