/** Kubernetes' documented cases of server-side apply, one test each. */
import { describe, expect, it } from 'vitest';
import { type ApiError, isApiError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { apiVersion, example, Managed } from './managed.kit.ts';

function conflictOf(act: () => unknown): ApiError<'Conflict'> {
  try {
    act();
  } catch (error) {
    if (isApiError(error, 'Conflict')) return error;
    throw error;
  }
  throw new Error('there was no conflict');
}

describe('apply', () => {
  it('creates an object and owns the fields of the configuration', () => {
    const web = new Managed().apply('ecsmctl', example({ image: 'web@1', limits: { cpu: '1' } }));
    expect(web.live).toEqual(example({ image: 'web@1', limits: { cpu: '1' } }));
    expect(web.managedFields).toEqual([
      {
        manager: 'ecsmctl',
        operation: 'Apply',
        apiVersion: 'ecsm.sh/v1',
        time: '2026-03-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:image': {}, 'f:limits': { 'f:cpu': {} } } },
      },
    ]);
  });

  it('reports a different value that another applier owns as a conflict and changes nothing', () => {
    const web = new Managed().apply('hpa', example({ replicas: 3 }));
    const before = web.managedFields;
    const error = conflictOf(() => web.apply('ecsmctl', example({ replicas: 5 })));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "hpa": .spec.replicas');
    expect(error.details.causes).toEqual([{ field: '.spec.replicas', manager: 'hpa', message: 'conflict with "hpa"' }]);
    expect(web.live).toEqual(example({ replicas: 3 }));
    expect(web.managedFields).toBe(before);
  });

  it('names the version of an updater, and every field of several conflicts', () => {
    const env = [{ name: 'A', value: '1' }];
    const web = new Managed()
      .update('kubectl-edit', example({ replicas: 3, env }))
      .apply('hpa', example({ image: 'a' }));
    const wanted = example({ replicas: 4, image: 'b', env: [{ name: 'A', value: '2' }] });
    const error = conflictOf(() => web.apply('ecsmctl', wanted));
    expect(error.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "hpa":\n- .spec.image\n' +
        'conflicts with "kubectl-edit" using ecsm.sh/v1:\n- .spec.env[name="A"].value\n- .spec.replicas',
    );
    expect(error.details.causes?.map(({ field, manager }) => `${manager} ${field}`)).toEqual([
      'hpa .spec.image',
      'kubectl-edit .spec.env[name="A"].value',
      'kubectl-edit .spec.replicas',
    ]);
  });

  it('takes conflicting fields over with force', () => {
    const web = new Managed()
      .apply('hpa', example({ replicas: 3, image: 'web@1' }))
      .apply('ecsmctl', example({ replicas: 5 }), { force: true });
    expect(web.live).toEqual(example({ replicas: 5, image: 'web@1' }));
    expect(web.owners).toEqual([
      ['hpa', 'Apply', { 'f:spec': { 'f:image': {} } }],
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('drops a manager that lost its last field', () => {
    const web = new Managed()
      .apply('hpa', example({ replicas: 3 }))
      .apply('ecsmctl', example({ replicas: 5 }), { force: true });
    expect(web.owners).toEqual([['ecsmctl', 'Apply', { 'f:spec': { 'f:replicas': {} } }]]);
  });

  it('shares a field that is applied with the same value', () => {
    const web = new Managed().apply('one', example({ replicas: 3 })).apply('two', example({ replicas: 3 }));
    expect(web.owners).toEqual([
      ['one', 'Apply', { 'f:spec': { 'f:replicas': {} } }],
      ['two', 'Apply', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('reports a change of a shared field as a conflict with the other owner', () => {
    const web = new Managed().apply('one', example({ replicas: 3 })).apply('two', example({ replicas: 3 }));
    const error = conflictOf(() => web.apply('one', example({ replicas: 4 })));
    expect(error.details.causes).toEqual([{ field: '.spec.replicas', manager: 'two', message: 'conflict with "two"' }]);
  });

  it('removes a field that its only owner omits', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ replicas: 3, image: 'web@1', health: { path: '/' } }))
      .apply('ecsmctl', example({ image: 'web@1' }));
    expect(web.live).toEqual(example({ image: 'web@1' }));
    expect(web.owners).toEqual([['ecsmctl', 'Apply', { 'f:spec': { 'f:image': {} } }]]);
  });

  it('keeps a field that one of several owners omits', () => {
    const web = new Managed()
      .apply('one', example({ replicas: 3 }))
      .apply('two', example({ replicas: 3, image: 'a' }))
      .apply('two', example({ image: 'a' }));
    expect(web.live).toEqual(example({ replicas: 3, image: 'a' }));
    expect(web.owners).toEqual([
      ['one', 'Apply', { 'f:spec': { 'f:replicas': {} } }],
      ['two', 'Apply', { 'f:spec': { 'f:image': {} } }],
    ]);
  });

  it('keeps an object of which another manager owns a field', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ image: 'a', health: { path: '/' } }))
      .update('probe', example({ image: 'a', health: { path: '/', periodSeconds: 5 } }))
      .apply('ecsmctl', example({ image: 'a' }));
    expect(web.live).toEqual(example({ image: 'a', health: { periodSeconds: 5 } }));
  });

  it('removes an omitted object together with its defaults, which nobody owns', () => {
    const web = new Managed().apply('ecsmctl', example({ image: 'a', health: { path: '/' } }));
    web.live = example({ image: 'a', health: { path: '/', periodSeconds: 10 } });
    expect(web.apply('ecsmctl', example({ image: 'a' })).live).toEqual(example({ image: 'a' }));
  });

  it('keeps an object, a map, an item and a list that the manager empties, and comes to rest', () => {
    const filled = { health: { path: '/' }, limits: { cpu: '1' }, volumes: { a: { path: '/a' } }, nodePool: ['a'] };
    const emptied = example({ health: {}, limits: {}, volumes: { a: {} }, nodePool: [], env: [] });
    const web = new Managed()
      .apply('ecsmctl', example({ ...filled, env: [{ name: 'A', value: '1' }] }))
      .apply('ecsmctl', emptied);
    expect(web.live).toEqual(emptied);
    const { managedFields } = web;
    expect(web.apply('ecsmctl', emptied).managedFields).toBe(managedFields);
  });

  it('keeps what another manager has in a list that the manager empties', () => {
    const web = new Managed()
      .apply('one', example({ nodePool: ['a'] }))
      .apply('two', example({ nodePool: ['b'] }))
      .apply('two', example({ nodePool: [] }));
    expect(web.live).toEqual(example({ nodePool: ['a'] }));
  });

  it('hands a field over without a reset: the new owner applies it first, then the old one omits it', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ image: 'a', replicas: 1 }))
      .update('hpa', example({ image: 'a', replicas: 4 }))
      .apply('ecsmctl', example({ image: 'a' }));
    expect(web.live).toEqual(example({ image: 'a', replicas: 4 }));
    expect(web.owners).toEqual([
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:image': {} } }],
      ['hpa', 'Update', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('merges lists with keys by their key, each entry with its own owner', () => {
    const a = { name: 'A', value: '1' };
    const b = { name: 'B', value: '2' };
    const web = new Managed().apply('one', example({ env: [a] })).apply('two', example({ env: [b] }));
    expect(web.live).toEqual(example({ env: [a, b] }));
    expect(web.owners).toEqual([
      ['one', 'Apply', { 'f:spec': { 'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } } } }],
      ['two', 'Apply', { 'f:spec': { 'f:env': { 'k:{"name":"B"}': { '.': {}, 'f:name': {}, 'f:value': {} } } } }],
    ]);
    web.apply('one', example({}));
    expect(web.live).toEqual(example({ env: [b] }));
    web.apply('two', example({}));
    expect(web.live).toEqual(example({}));
  });

  it('lets two managers own different fields of one entry', () => {
    const web = new Managed()
      .apply('one', example({ env: [{ name: 'A', value: '1' }] }))
      .apply('two', example({ env: [{ name: 'A', secret: 's' }] }))
      .apply('one', example({}));
    expect(web.live).toEqual(example({ env: [{ name: 'A', secret: 's' }] }));
  });

  it('merges sets member by member', () => {
    const web = new Managed()
      .apply('one', example({ nodePool: ['a', 'b'] }))
      .apply('two', example({ nodePool: ['b', 'c'] }));
    expect(web.live).toEqual(example({ nodePool: ['a', 'b', 'c'] }));
    web.apply('one', example({ nodePool: ['a'] }));
    expect(web.live).toEqual(example({ nodePool: ['a', 'b', 'c'] }));
    web.apply('two', example({ nodePool: ['c'] }));
    expect(web.live).toEqual(example({ nodePool: ['a', 'c'] }));
  });

  it('owns and replaces an atomic list as a whole', () => {
    const web = new Managed().apply('one', example({ command: ['run', 'fast'] }));
    expect(conflictOf(() => web.apply('two', example({ command: ['run'] }))).details.causes).toMatchObject([
      { field: '.spec.command', manager: 'one' },
    ]);
    web.apply('two', example({ command: ['run'] }), { force: true });
    expect(web.live).toEqual(example({ command: ['run'] }));
    expect(web.owners).toEqual([['two', 'Apply', { 'f:spec': { 'f:command': {} } }]]);
  });

  it('takes the items of an atomic list as equal to those that were stored with their defaults', () => {
    const needs = [{ name: 'db' }];
    const web = new Managed().apply('ecsmctl', example({ needs }));
    web.live = example({ needs: [{ name: 'db', onLost: 'Ignore' }] });
    const before = web.managedFields;
    expect(web.apply('ecsmctl', example({ needs })).managedFields).toBe(before);
    web.live = example({ needs: [{ name: 'db', onLost: 'Ignore' }] });
    expect(web.apply('flux', example({ needs })).owners).toEqual([
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:needs': {} } }],
      ['flux', 'Apply', { 'f:spec': { 'f:needs': {} } }],
    ]);
    expect(conflictOf(() => web.apply('flux', example({ needs: [{ name: 'db', onLost: 'Stop' }] }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "ecsmctl": .spec.needs',
    );
  });

  it('merges maps, also of unknown structure, and treats lists inside of them as atomic', () => {
    const web = new Managed()
      .apply('one', example({ platform: { vm: { cpus: 2, tags: ['x'] } } }))
      .apply('two', example({ platform: { vm: { memory: '1Gi' } } }));
    expect(web.live).toEqual(example({ platform: { vm: { cpus: 2, tags: ['x'], memory: '1Gi' } } }));
    expect(web.owners[0]?.[2]).toEqual({
      'f:spec': { 'f:platform': { 'f:vm': { '.': {}, 'f:cpus': {}, 'f:tags': {} } } },
    });
    const error = conflictOf(() => web.apply('two', example({ platform: { vm: { tags: ['y'] } } })));
    expect(error.details.causes).toMatchObject([{ field: '.spec.platform.vm.tags', manager: 'one' }]);
  });

  it('owns and replaces as a whole what is too deep inside of an unknown structure', () => {
    const deep = (value: JsonObject): JsonObject => {
      let platform = value;
      for (let level = 0; level < 40; level++) platform = { platform };
      return example({ platform });
    };
    const web = new Managed().apply('one', deep({ a: 1 }));
    expect(() => web.apply('two', deep({ b: 2 }))).toThrow('1 conflict');
    expect(web.apply('one', deep({ b: 2 })).live).toEqual(deep({ b: 2 }));
    const { managedFields } = web;
    expect(web.apply('one', deep({ b: 2 })).managedFields).toBe(managedFields);
  });

  it('returns the managers unchanged, with their times, if nothing changed', () => {
    const web = new Managed().apply('ecsmctl', example({ replicas: 3 }));
    const before = web.managedFields;
    web.apply('ecsmctl', example({ replicas: 3 }));
    expect(web.managedFields).toBe(before);
    expect(web.live).toEqual(example({ replicas: 3 }));
  });

  it('sets the time of the manager alone when it changes its own field', () => {
    const web = new Managed()
      .apply('one', example({ image: 'a' }))
      .apply('two', example({ replicas: 1 }))
      .apply('one', example({ image: 'b' }));
    expect(web.times()).toEqual({ one: '2026-03-01T00:02:00Z', two: '2026-03-01T00:01:00Z' });
  });

  it('treats null as absent', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ image: 'a', replicas: 2 }))
      .apply('ecsmctl', example({ image: 'a', replicas: null }));
    expect(web.live).toEqual(example({ image: 'a' }));
    const before = web.managedFields;
    expect(web.apply('ecsmctl', example({ image: 'a', replicas: null })).managedFields).toBe(before);
  });

  it('gives everything in an object without managers to before-first-apply', () => {
    const live = {
      ...example({ replicas: 3, image: 'a' }, { labels: { app: 'web' }, uid: 'u' }),
      status: { replicas: 3 },
    };
    const web = new Managed(live);
    expect(conflictOf(() => web.apply('ecsmctl', example({ image: 'b' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using ecsm.sh/v1: .spec.image',
    );
    web.apply('ecsmctl', example({ image: 'a' }));
    expect(web.live).toEqual(live);
    expect(web.owners).toEqual([
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:image': {} } }],
      [
        'before-first-apply',
        'Update',
        {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': { '.': {}, 'f:image': {}, 'f:replicas': {} },
        },
      ],
    ]);
  });

  it('tracks neither the identity of an object nor its status', () => {
    const exported = {
      ...example({ image: 'a' }, { uid: 'x', resourceVersion: '7', generation: 9, creationTimestamp: 't' }),
      status: { replicas: 9 },
    };
    const web = new Managed({ ...example({}, { uid: 'u', generation: 1 }), status: { replicas: 1 } });
    web.apply('ecsmctl', exported);
    expect(web.live).toEqual({ ...example({ image: 'a' }, { uid: 'u', generation: 1 }), status: { replicas: 1 } });
    expect(web.owners[0]).toEqual(['ecsmctl', 'Apply', { 'f:spec': { 'f:image': {} } }]);
  });

  it('applies only the status through the subresource, with an entry of its own', () => {
    const web = new Managed().apply('ecsmctl', example({ replicas: 2 }));
    const ready = { type: 'Ready', status: 'True' };
    const wanted = { ...example({ replicas: 9 }), status: { conditions: [ready] } };
    web.apply('ecsmctl', wanted, { subresource: 'status' });
    expect(web.live).toEqual({ ...example({ replicas: 2 }), status: { conditions: [ready] } });
    expect(web.owners).toEqual([
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:replicas': {} } }],
      [
        'ecsmctl',
        'Apply',
        { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {}, 'f:type': {} } } } },
        'status',
      ],
    ]);
    const other = { ...example({}), status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    expect(conflictOf(() => web.apply('other', other, { subresource: 'status' })).message).toBe(
      'Apply failed with 1 conflict: conflict with "ecsmctl" with subresource "status": ' +
        '.status.conditions[type="Ready"].status',
    );
  });

  it('never removes the finalizer of another manager', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ image: 'a' }))
      .update('operator', example({ image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] }));
    const exported = example({ image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] });
    web.apply('ecsmctl', exported).apply('ecsmctl', example({ image: 'a' }));
    expect(web.live).toEqual(exported);
  });

  it('keeps a required object whose fields are all removed', () => {
    const web = new Managed().apply('ecsmctl', example({ replicas: 3 })).apply('ecsmctl', example({}));
    expect(web.live).toEqual(example({}));
  });

  it('keeps the metadata of which the last owned field is removed', () => {
    const labelled = example({ replicas: 3 }, { labels: { app: 'web' } });
    const web = new Managed().apply('ecsmctl', labelled).apply('ecsmctl', example({ replicas: 3 }));
    expect(web.live).toEqual(example({ replicas: 3 }));
    expect(web.owners).toEqual([['ecsmctl', 'Apply', { 'f:spec': { 'f:replicas': {} } }]]);
  });

  it('keeps the entry of an applier that changes the API version', () => {
    const web = new Managed()
      .apply('ecsmctl', example({ replicas: 3, image: 'a' }), { apiVersion: 'ecsm.sh/v1beta1' })
      .apply('ecsmctl', example({ image: 'a' }));
    expect(web.live).toEqual(example({ image: 'a' }));
    expect(web.managedFields).toMatchObject([{ manager: 'ecsmctl', apiVersion }]);
  });

  it('ignores entries that cannot be read', () => {
    const web = new Managed(example({ image: 'a' }));
    const broken: JsonValue = { 'x:y': {} };
    web.managedFields = [{ manager: 'one', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1: broken }];
    web.apply('ecsmctl', example({ image: 'a' }));
    expect(web.owners.map(([manager]) => manager)).toEqual(['ecsmctl', 'before-first-apply']);
  });
});
