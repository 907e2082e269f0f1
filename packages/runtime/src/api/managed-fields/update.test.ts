import { describe, expect, it } from 'vitest';
import { isReset, UPDATERS_MAX } from './entries.ts';
import { example, Managed } from './managed.kit.ts';

describe('trackUpdate', () => {
  it('owns everything in a new object, as Kubernetes records the creation of a custom resource', () => {
    const object = example(
      { image: 'a', env: [{ name: 'A', value: '1' }], nodePool: ['n1'], command: ['run'] },
      { annotations: { note: 'x' }, finalizers: ['ecsm.sh/cleanup'], ownerReferences: [{ uid: 'u1', name: 'o' }] },
    );
    expect(new Managed().update('ecsmctl-create', object).owners).toEqual([
      [
        'ecsmctl-create',
        'Update',
        {
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:note': {} },
            'f:finalizers': { '.': {}, 'v:"ecsm.sh/cleanup"': {} },
            'f:ownerReferences': { '.': {}, 'k:{"uid":"u1"}': { '.': {}, 'f:name': {}, 'f:uid': {} } },
          },
          'f:spec': {
            '.': {},
            'f:command': {},
            'f:env': { '.': {}, 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
            'f:image': {},
            'f:nodePool': { '.': {}, 'v:"n1"': {} },
          },
        },
      ],
    ]);
  });

  it('moves a changed field from its owners to the writer', () => {
    const web = new Managed()
      .apply('one', example({ replicas: 1, image: 'a' }))
      .apply('two', example({ replicas: 1 }))
      .update('scaler', example({ replicas: 2, image: 'a' }));
    expect(web.owners).toEqual([
      ['one', 'Apply', { 'f:spec': { 'f:image': {} } }],
      ['scaler', 'Update', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('takes a removed field from everybody and gives it to nobody', () => {
    const web = new Managed()
      .apply('one', example({ replicas: 1, image: 'a' }))
      .update('scaler', example({ image: 'a', health: { path: '/' } }))
      .update('scaler', example({ image: 'a' }));
    expect(web.owners).toEqual([['one', 'Apply', { 'f:spec': { 'f:image': {} } }]]);
  });

  it('returns the same list if no tracked field changed', () => {
    const web = new Managed().apply('one', example({ replicas: 1 }));
    const before = web.managedFields;
    expect(web.update('two', example({ replicas: 1 })).managedFields).toBe(before);
    expect(web.update('two', { ...example({ replicas: 1 }), status: { replicas: 1 } }).managedFields).toBe(before);
    expect(web.update('two', example({ replicas: 1 }, { generation: 4 })).managedFields).toBe(before);
  });

  it('adds to the entry of an updater and sets its time', () => {
    const web = new Managed()
      .apply('one', example({ image: 'a' }))
      .update('edit', example({ image: 'a', replicas: 1 }))
      .update('edit', example({ image: 'a', replicas: 1, limits: { cpu: '1' } }));
    expect(web.owners[1]).toEqual([
      'edit',
      'Update',
      { 'f:spec': { 'f:limits': { '.': {}, 'f:cpu': {} }, 'f:replicas': {} } },
    ]);
    expect(web.times()).toEqual({ one: '2026-03-01T00:00:00Z', edit: '2026-03-01T00:02:00Z' });
  });

  it('separates an updater from an applier of the same name', () => {
    const web = new Managed().apply('kubectl', example({ replicas: 1 })).update('kubectl', example({ replicas: 2 }));
    expect(web.owners).toEqual([['kubectl', 'Update', { 'f:spec': { 'f:replicas': {} } }]]);
  });

  it('records the status in an entry of its subresource', () => {
    const web = new Managed().apply('one', example({ replicas: 1 }));
    web.update('operator', { ...example({ replicas: 1 }), status: { replicas: 1 } }, { subresource: 'status' });
    expect(web.owners[1]).toEqual(['operator', 'Update', { 'f:status': { '.': {}, 'f:replicas': {} } }, 'status']);
  });

  it('gives what an object without managers had before to before-first-apply', () => {
    const web = new Managed(example({ image: 'a', replicas: 1 })).update('edit', example({ image: 'a', replicas: 2 }));
    expect(web.owners).toEqual([
      ['before-first-apply', 'Update', { 'f:spec': { '.': {}, 'f:image': {} } }],
      ['edit', 'Update', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it(`unites the oldest of more than ${UPDATERS_MAX} updaters`, () => {
    const web = new Managed().update('first', example({ image: 'a', limits: {} }));
    const limits: Record<string, string> = {};
    for (let index = 1; index < UPDATERS_MAX; index++) {
      limits[`l${index}`] = '1';
      web.update(`updater-${index}`, example({ image: 'a', limits: { ...limits } }));
    }
    expect(web.managedFields).toHaveLength(UPDATERS_MAX);
    web.update('last', example({ image: 'a', limits, replicas: 1 }));
    expect(web.managedFields).toHaveLength(UPDATERS_MAX);
    expect(web.owners[0]).toEqual([
      'ancient-changes',
      'Update',
      { 'f:spec': { '.': {}, 'f:image': {}, 'f:limits': { '.': {}, 'f:l1': {} } } },
    ]);
    expect(web.owners.at(-1)).toEqual(['last', 'Update', { 'f:spec': { 'f:replicas': {} } }]);
  });
});

describe('isReset', () => {
  it('accepts an empty list and a list with an empty entry, as Kubernetes does', () => {
    expect([isReset([]), isReset([{}]), isReset(undefined), isReset([{ manager: 'x' }]), isReset([{}, {}])]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
