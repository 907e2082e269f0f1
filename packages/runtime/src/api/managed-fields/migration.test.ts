import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { ANNOTATIONS_BYTES_MAX } from '../metadata.ts';
import { valueAt } from '../path.ts';
import { example, Managed } from './managed.kit.ts';
import { lastAppliedAnnotation } from './migration.ts';

const path = ['metadata', 'annotations', lastAppliedAnnotation];
const lastApplied = (object: JsonObject | undefined) => JSON.parse(String(valueAt(object, path)));

/** An object of a client-side apply, with what others wrote since. */
function written(applied: JsonObject, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const annotations = { note: 'kept', [lastAppliedAnnotation]: JSON.stringify(applied) };
  return example(spec, { annotations, ...metadata });
}

describe('the first apply after a client-side apply', () => {
  const applied = example({ image: 'a', replicas: 1, env: [{ name: 'A', value: '1' }] });
  const spec = { image: 'a', replicas: 1, env: [{ name: 'A', value: '1' }], limits: { cpu: '1' } };

  it('removes what was removed from the file since, and keeps what others wrote', () => {
    const web = new Managed(written(applied, spec)).apply('kubectl', example({ image: 'b' }));
    expect(web.live?.spec).toEqual({ image: 'b', limits: { cpu: '1' } });
    expect(web.owners).toEqual([
      ['kubectl', 'Apply', { 'f:spec': { 'f:image': {} } }],
      [
        'before-first-apply',
        'Update',
        {
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:kubectl.kubernetes.io/last-applied-configuration': {}, 'f:note': {} },
          },
          'f:spec': { '.': {}, 'f:limits': { '.': {}, 'f:cpu': {} } },
        },
      ],
    ]);
  });

  it('overwrites an applied field that was changed since, as a client-side apply does', () => {
    const changed = written(applied, { ...spec, replicas: 7 });
    expect(new Managed(changed).apply('kubectl', applied).live?.spec).toEqual(spec);
  });

  it('reports a field that the file did not set before as a conflict', () => {
    const web = new Managed(written(applied, spec));
    expect(() => web.apply('kubectl', example({ image: 'a', limits: { cpu: '2' } }))).toThrow(
      'conflict with "before-first-apply" using ecsm.sh/v1: .spec.limits.cpu',
    );
  });

  it('reports a field that a named manager changed since as a conflict', () => {
    const web = new Managed(written(applied, spec));
    web.update('kubectl-scale', written(applied, { ...spec, replicas: 5 }));
    expect(() => web.apply('kubectl', applied)).toThrow(
      'conflict with "kubectl-scale" using ecsm.sh/v1: .spec.replicas',
    );
  });

  it('takes over the fields of the updater of a client-side apply', () => {
    const web = new Managed().update('kubectl-client-side-apply', written(applied, spec));
    web.apply('kubectl', example({ image: 'b' }));
    expect(web.live?.spec).toEqual({ image: 'b', limits: { cpu: '1' } });
  });

  it('keeps the annotation up to date, so that a client-side apply can continue from it', () => {
    const web = new Managed(written(applied, spec));
    for (const image of ['b', 'c']) {
      web.apply('kubectl', example({ image }), { force: true });
      expect(lastApplied(web.live).spec).toEqual({ image });
    }
    web.apply('other', example({ replicas: 3 }), { force: true });
    expect(lastApplied(web.live).spec).toEqual({ image: 'c' });
  });

  it('drops the annotation if the configuration is too large for it, with its owners', () => {
    const web = new Managed().update('kubectl-client-side-apply', written(applied, spec));
    const large = example({ image: 'b', limits: { text: 'x'.repeat(ANNOTATIONS_BYTES_MAX) } });
    web.apply('kubectl', large, { force: true });
    expect(valueAt(web.live, ['metadata', 'annotations'])).toEqual({ note: 'kept' });
    expect(JSON.stringify(web.owners)).not.toContain(lastAppliedAnnotation);
    const { managedFields } = web;
    expect(web.apply('kubectl', large).managedFields).toBe(managedFields);
  });

  it('is not that of another manager, which would remove fields that it never applied', () => {
    const live = written(applied, spec);
    expect(new Managed(live).apply('hpa', example({ replicas: 1 })).live).toEqual(live);
    expect(new Managed(live).apply('ecsmctl', example({ replicas: 1 })).live).toEqual(live);
  });

  it('does not remove finalizers', () => {
    const exported = example({ image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] });
    const live = written(exported, { image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] });
    expect(new Managed(live).apply('kubectl', example({ image: 'a' })).live?.metadata).toMatchObject({
      finalizers: ['ecsm.sh/cleanup'],
    });
  });

  it('removes nothing if the text of the annotation is invalid', () => {
    const live = example({ image: 'a', replicas: 1 }, { annotations: { [lastAppliedAnnotation]: '{' } });
    const web = new Managed(live).apply('kubectl', example({ image: 'a' }));
    expect(web.live?.spec).toEqual({ image: 'a', replicas: 1 });
    expect(lastApplied(web.live).spec).toEqual({ image: 'a' });
  });
});
