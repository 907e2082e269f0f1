/** patch, label, annotate, scale and set image, against a real registry. */
import { ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry } from '../shared/registry.kit.ts';
import { writeKit } from './write.kit.ts';

const kit = writeKit();
beforeAll(() => fillRegistry(kit));

const get = (name: string, namespace = 'default') =>
  kit.inside((registry) => registry.resource(ECSMService).get(name, { namespace }));

describe('patch', () => {
  it('merges JSON and YAML, from the command line, a file and standard input', async () => {
    expect(await kit.shown(`patch service telemetry -p '{"spec":{"paused":true}}'`)).toBe(
      'ecsmservice/telemetry patched\n',
    );
    expect(await kit.shown(`patch service/telemetry --type merge -p 'spec: {paused: true}'`)).toBe(
      'ecsmservice/telemetry patched (no change)\n',
    );
    kit.write('patch.yaml', 'spec:\n  paused: false\n');
    expect(await kit.shown('patch service telemetry --patch-file patch.yaml --dry-run')).toBe(
      'ecsmservice/telemetry patched (dry run)\n',
    );
    expect((await get('telemetry')).spec.paused).toBe(true);
    const input = '{"spec":{"template":{"vsoa":null},"paused":null}}';
    expect(await kit.shown('patch service telemetry --patch-file -', { input })).toBe(
      'ecsmservice/telemetry patched\n',
    );
    const { spec } = await get('telemetry');
    expect([spec.paused, spec.template.vsoa]).toEqual([false, undefined]);
  });

  it('changes several objects, and prints them', async () => {
    const line = `patch services telemetry camera -p '{"spec":{"revisionHistoryLimit":3}}'`;
    expect(await kit.shown(`${line} -o jsonpath='{.items[*].spec.revisionHistoryLimit}'`)).toBe('3 3');
  });
});

describe('label', () => {
  it('sets, changes only with --overwrite, and removes', async () => {
    expect(await kit.shown('label service telemetry zone=a app=telemetry')).toBe('ecsmservice/telemetry labeled\n');
    expect(await kit.shown('label service telemetry zone=b')).toBe(
      '! ecsmctl: ecsmservice/telemetry already has the label zone=a: use --overwrite to change it\n= 1\n',
    );
    expect(await kit.shown('label service telemetry zone=b --overwrite')).toBe('ecsmservice/telemetry labeled\n');
    expect(await kit.shown('label service telemetry zone=b')).toBe('ecsmservice/telemetry not labeled\n');
    expect(await kit.shown('label service telemetry --list')).toBe('app=telemetry\ntier=ground\nzone=b\n');
    expect(await kit.shown('label service/telemetry zone-')).toBe('ecsmservice/telemetry unlabeled\n');
    expect(await kit.shown('label service/telemetry zone-')).toBe('ecsmservice/telemetry not labeled\n');
  });

  it('accepts --all, selectors and namespaces; a rejected object does not block the others', async () => {
    expect(await kit.shown('label services --all -A zone=x --dry-run')).toBe(
      'ecsmservice/camera labeled (dry run)\necsmservice/telemetry labeled (dry run)\necsmservice/radar labeled (dry run)\n',
    );
    expect(await kit.shown('label services -l app=radar -n orbit zone=x')).toBe('ecsmservice/radar labeled\n');
    expect(await kit.shown('label services --all -A zone=y')).toBe(
      'ecsmservice/camera labeled\necsmservice/telemetry labeled\n! ecsmctl: ecsmservice/radar already has the label zone=x: use --overwrite to change it\n! ecsmctl: 1 of 3 objects could not be labeled\n= 1\n',
    );
    expect(await kit.shown('label services --all --list')).toBe(
      'ecsmservice/camera\n  app=camera\n  zone=y\necsmservice/telemetry\n  app=telemetry\n  tier=ground\n  zone=y\n',
    );
    expect(await kit.shown('label services -l app=nobody a=b')).toBe('! No resources found in default namespace.\n');
  });
});

describe('annotate', () => {
  it('sets and removes, and shows no secret', async () => {
    expect(await kit.shown("annotate service camera owner='ground team' api-token=abc")).toBe(
      'ecsmservice/camera annotated\n',
    );
    expect(await kit.shown('annotate service camera --list')).toBe('owner=ground team\napi-token=<hidden>\n');
    expect(await kit.shown('annotate service camera api-token=xyz')).toBe(
      '! ecsmctl: ecsmservice/camera already has the annotation api-token=<hidden>: use --overwrite to change it\n= 1\n',
    );
    expect(await kit.shown('annotate service camera owner- api-token-')).toBe('ecsmservice/camera unannotated\n');
    expect(await kit.shown('annotate service camera --list')).toBe('! ecsmservice/camera has no annotations\n');
  });
});

describe('scale', () => {
  it('sets the number', async () => {
    expect(await kit.shown('scale service telemetry --replicas 5')).toBe('ecsmservice/telemetry scaled\n');
    expect(await kit.shown('scale service telemetry --replicas=5')).toBe('ecsmservice/telemetry scaled (no change)\n');
    expect((await get('telemetry')).spec.deploymentStrategy.replicas).toBe(5);
  });

  it('compares with the expected current number', async () => {
    expect(await kit.shown('scale service telemetry --replicas 1 --current-replicas 4')).toBe(
      '! ecsmctl: ecsmservice/telemetry is scaled to 5, not to 4 as --current-replicas requires\n= 1\n',
    );
    expect(await kit.shown('scale service telemetry --replicas 0 --current-replicas 5')).toBe(
      'ecsmservice/telemetry scaled\n',
    );
  });

  it('names the field to change for a static service', async () => {
    expect(await kit.shown('scale service camera --replicas 1')).toBe(
      '! ecsmctl: ecsmservice/camera is Static: it runs one instance on each of its 2 nodes. Change spec.deploymentStrategy.nodes instead, with "ecsmctl edit ecsmservice camera"\n= 1\n',
    );
  });
});

describe('set image', () => {
  it('sets the image, by name and by label', async () => {
    expect(await kit.shown('set image service/telemetry telemetry@1.1.0#sylixos')).toBe(
      'ecsmservice/telemetry image updated\n',
    );
    expect(await kit.shown('set image service telemetry telemetry@1.1.0#sylixos')).toBe(
      'ecsmservice/telemetry image updated (no change)\n',
    );
    expect(await kit.shown('set image services -l app=radar -n orbit radar@2.0')).toBe(
      'ecsmservice/radar image updated\n',
    );
    expect((await get('radar', 'orbit')).spec.template.image).toBe('radar@2.0');
  });
});

describe('a change of an object with concurrent writers', () => {
  it('is made to the newest version', async () => {
    const before = await get('telemetry');
    await Promise.all([1, 2, 3, 4, 5].map((number) => kit.run(`annotate service telemetry n${number}=x`)));
    const after = await get('telemetry');
    expect(after.metadata.annotations).toEqual({
      ...before.metadata.annotations,
      n1: 'x',
      n2: 'x',
      n3: 'x',
      n4: 'x',
      n5: 'x',
    });
  });
});
