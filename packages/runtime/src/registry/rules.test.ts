import { expect, it } from 'vitest';
import { defineKind } from '../api/kind.ts';
import { object, optional, string } from '../api/schema/build.ts';
import { created, withStatus } from './rules.ts';

const Task = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Task',
  plural: 'tasks',
  spec: object({}),
  status: object({ phase: optional(string()) }),
  validate: ({ status }, old) =>
    old?.status?.phase === 'Done' && status?.phase !== 'Done'
      ? [{ path: 'status.phase', type: 'Forbidden', message: 'cannot be changed once it is Done' }]
      : [],
});

it('a status obeys the rules of its kind about what may change', () => {
  const metadata = { name: 'a', namespace: 'default' };
  const wanted = { apiVersion: Task.apiVersion, kind: Task.kind, metadata, spec: {} };
  const made = created(Task, wanted, { uid: 'a1', timestamp: '2026-01-02T03:04:05Z' });
  const done = withStatus(Task, withStatus(Task, made, { phase: 'Running' }), { phase: 'Done' });
  expect(done.status).toEqual({ phase: 'Done' });
  expect(() => withStatus(Task, done, { phase: 'Running' })).toThrow('status.phase: Forbidden: cannot be changed');
});
