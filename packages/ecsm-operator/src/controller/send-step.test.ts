/** Results of steps. */
import { ApiError, type ErrorCode } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Step } from '../service/model.ts';
import { sendStep } from './send-step.ts';

const body = { name: 'web', image: { ref: 'a@1', action: 'run', config: {} }, node: { names: ['n'] } } as const;
const { signal } = new AbortController();

function manager(fail: Partial<Record<string, unknown>> = {}) {
  const calls: string[] = [];
  const answer =
    (name: string) =>
    async (subject: unknown): Promise<never> => {
      calls.push(`${name} ${typeof subject === 'string' ? subject : 'body'}`);
      if (name in fail) throw fail[name];
      return { id: 'new-id' } as never;
    };
  const names = [
    'create',
    'update',
    'delete',
    'start',
    'unpause',
    'startInstance',
    'unpauseInstance',
    'redeploy',
  ] as const;
  const made = Object.fromEntries(names.map((name) => [name, answer(name)]));
  return { calls, manager: made as unknown as Parameters<typeof sendStep>[1] };
}

const steps: readonly (readonly [Step, string])[] = [
  [{ do: 'create', body, why: '' }, 'create body'],
  [{ do: 'update', id: '1', body, why: '' }, 'update 1'],
  [{ do: 'delete', id: '1', name: 'web', why: '' }, 'delete 1'],
  [{ do: 'start', id: '1', name: 'web', why: '' }, 'start 1'],
  [{ do: 'unpause', id: '1', name: 'web', why: '' }, 'unpause 1'],
  [{ do: 'redeploy', id: '1', name: 'web', why: '' }, 'redeploy 1'],
  [{ do: 'startInstance', instance: 'web-1', why: '' }, 'startInstance web-1'],
  [{ do: 'unpauseInstance', instance: 'web-1', why: '' }, 'unpauseInstance web-1'],
];

it.each(steps)('is one call: %o', async (step, call) => {
  const { calls, manager: made } = manager();
  const written = step.do === 'create' || step.do === 'update' ? { writtenId: 'new-id' } : {};
  expect(await sendStep(step, made, signal)).toEqual({ is: 'done', ...written });
  expect(calls).toEqual([call]);
});

describe('a failure', () => {
  const error = (code: ErrorCode) =>
    new ApiError(code, { kind: 'service', name: 'web', reason: 'no', what: 'x', timeoutMs: 1 } as never);

  it.each<[ErrorCode, string]>([
    ['AlreadyExists', 'overtaken'],
    ['Conflict', 'overtaken'],
    ['NotFound', 'refused'],
    ['Timeout', 'unanswered'],
    ['Unavailable', 'unanswered'],
    ['BadAnswer', 'unanswered'],
    ['Rejected', 'refused'],
    ['Forbidden', 'refused'],
  ])('%s results in %s, without a retry', async (code, end) => {
    const { calls, manager: made } = manager({ create: error(code) });
    expect(await sendStep({ do: 'create', body, why: '' }, made, signal)).toMatchObject({ is: end });
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['service', 'overtaken'],
    ['path', 'refused'],
  ])('because there is no such %s results in %s', async (kind, end) => {
    const { manager: made } = manager({ update: new ApiError('NotFound', { kind, name: 'web' }) });
    expect(await sendStep({ do: 'update', id: '1', body, why: '' }, made, signal)).toMatchObject({ is: end });
  });

  it('that is not an error of the platform is rethrown', async () => {
    const { manager: made } = manager({ create: new TypeError('a mistake') });
    await expect(sendStep({ do: 'create', body, why: '' }, made, signal)).rejects.toThrow('a mistake');
  });

  it('to scale to 0 deletes the service if the step allows it', async () => {
    const empty: Step = { do: 'update', id: '1', body, why: '', ifRefused: 'delete' };
    const refusing = manager({ update: error('Rejected') });
    expect(await sendStep(empty, refusing.manager, signal)).toEqual({ is: 'done' });
    expect(refusing.calls).toEqual(['update 1', 'delete 1']);
    const silent = manager({ update: error('Timeout') });
    expect(await sendStep(empty, silent.manager, signal)).toMatchObject({ is: 'unanswered' });
    expect(silent.calls).toEqual(['update 1']);
  });

  it('to update a service does not delete it otherwise', async () => {
    const { calls, manager: made } = manager({ update: error('Rejected') });
    expect(await sendStep({ do: 'update', id: '1', body, why: '' }, made, signal)).toMatchObject({ is: 'refused' });
    expect(calls).toEqual(['update 1']);
  });
});
