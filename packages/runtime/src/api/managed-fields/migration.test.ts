import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { ANNOTATIONS_BYTES_MAX } from '../metadata.ts';
import { valueAt } from '../path.ts';
import { example, Managed } from './managed.kit.ts';
import { lastAppliedAnnotation, lastAppliedAnnotationOfKubectl } from './migration.ts';

/** An object of a client-side apply, with what others wrote since. */
function written(annotation: string, applied: JsonObject, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const annotations = { note: 'kept', [annotation]: JSON.stringify(applied) };
  return example(spec, { annotations, ...metadata });
}

describe('the first apply after a client-side apply', () => {
  const applied = example({ image: 'a', replicas: 1, env: [{ name: 'A', value: '1' }] });
  const spec = { image: 'a', replicas: 1, env: [{ name: 'A', value: '1' }], limits: { cpu: '1' } };

  it('removes what was removed from the file since, keeps what others wrote, and drops the annotation', () => {
    const web = new Managed(written(lastAppliedAnnotation, applied, spec)).apply('ecsmctl', example({ image: 'b' }));
    expect(web.live).toEqual(example({ image: 'b', limits: { cpu: '1' } }, { annotations: { note: 'kept' } }));
    expect(web.owners).toEqual([
      ['ecsmctl', 'Apply', { 'f:spec': { 'f:image': {} } }],
      [
        'before-first-apply',
        'Update',
        {
          'f:metadata': { 'f:annotations': { '.': {}, 'f:note': {} } },
          'f:spec': { '.': {}, 'f:limits': { '.': {}, 'f:cpu': {} } },
        },
      ],
    ]);
  });

  it('overwrites an applied field that was changed since, as a client-side apply does', () => {
    const changed = written(lastAppliedAnnotation, applied, { ...spec, replicas: 7 });
    expect(new Managed(changed).apply('ecsmctl', applied).live).toEqual(
      example(spec, { annotations: { note: 'kept' } }),
    );
  });

  it('reports a field that the file did not set before as a conflict', () => {
    const web = new Managed(written(lastAppliedAnnotation, applied, spec));
    expect(() => web.apply('ecsmctl', example({ image: 'a', limits: { cpu: '2' } }))).toThrow(
      'conflict with "before-first-apply" using ecsm.sh/v1: .spec.limits.cpu',
    );
  });

  it('reports a field that a named manager changed since as a conflict', () => {
    const web = new Managed(written(lastAppliedAnnotation, applied, spec));
    web.update('ecsmctl-scale', written(lastAppliedAnnotation, applied, { ...spec, replicas: 5 }));
    expect(() => web.apply('ecsmctl', applied)).toThrow(
      'conflict with "ecsmctl-scale" using ecsm.sh/v1: .spec.replicas',
    );
  });

  it("does the same for kubectl's annotation and the updater of its client-side apply", () => {
    const web = new Managed().update(
      'kubectl-client-side-apply',
      written(lastAppliedAnnotationOfKubectl, applied, spec),
    );
    web.apply('kubectl', example({ image: 'b' }));
    expect(web.live?.spec).toEqual({ image: 'b', limits: { cpu: '1' } });
  });

  it("keeps kubectl's annotation up to date, so that a client-side apply can continue from it", () => {
    const web = new Managed(written(lastAppliedAnnotationOfKubectl, applied, spec));
    const path = ['metadata', 'annotations', lastAppliedAnnotationOfKubectl];
    const lastApplied = () => JSON.parse(String(valueAt(web.live, path)));
    for (const image of ['b', 'c']) {
      web.apply('kubectl', example({ image }), { force: true });
      expect(lastApplied().spec).toEqual({ image });
    }
    web.apply('other', example({ replicas: 3 }), { force: true });
    expect(lastApplied().spec).toEqual({ image: 'c' });
  });

  it("drops kubectl's annotation if the configuration is too large for it, with its owners", () => {
    const live = written(lastAppliedAnnotationOfKubectl, applied, spec);
    const web = new Managed().update('kubectl-client-side-apply', live);
    const large = example({ image: 'b', limits: { text: 'x'.repeat(ANNOTATIONS_BYTES_MAX) } });
    web.apply('kubectl', large, { force: true });
    expect(valueAt(web.live, ['metadata', 'annotations'])).toEqual({ note: 'kept' });
    expect(JSON.stringify(web.owners)).not.toContain(lastAppliedAnnotationOfKubectl);
    const { managedFields } = web;
    expect(web.apply('kubectl', large).managedFields).toBe(managedFields);
  });

  it('is not that of another manager, which would remove fields that it never applied', () => {
    const live = written(lastAppliedAnnotation, applied, spec);
    expect(new Managed(live).apply('hpa', example({ replicas: 1 })).live).toEqual(live);
    expect(new Managed(live).apply('kubectl', example({ replicas: 1 })).live).toEqual(live);
  });

  it('does not remove finalizers', () => {
    const exported = example({ image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] });
    const live = written(lastAppliedAnnotation, exported, { image: 'a' }, { finalizers: ['ecsm.sh/cleanup'] });
    expect(new Managed(live).apply('ecsmctl', example({ image: 'a' })).live?.metadata).toMatchObject({
      finalizers: ['ecsm.sh/cleanup'],
    });
  });

  it('removes nothing but the annotation if its text is invalid', () => {
    const live = example({ image: 'a', replicas: 1 }, { annotations: { [lastAppliedAnnotation]: '{' } });
    expect(new Managed(live).apply('ecsmctl', example({ image: 'a' })).live).toEqual(
      example({ image: 'a', replicas: 1 }),
    );
  });
});
