/** patch --type json, replace, set env and set resources, against a real registry. */
import { ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry } from '../shared/registry.kit.ts';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
beforeAll(() => fillRegistry(kit));

const get = (name: string) => kit.inside((registry) => registry.resource(ECSMService).get(name));

describe('patch --type json', () => {
  const patch = (operations: string) => kit.shown(`patch service telemetry --type json -p '${operations}'`);

  it('applies operations in order, or none of them', async () => {
    expect(await patch('[{"op":"add","path":"/spec/template/env/-","value":{"name":"A","value":"b"}}]')).toBe(
      'ecsmservice/telemetry patched\n',
    );
    expect((await get('telemetry')).spec.template.env?.at(-1)).toEqual({ name: 'A', value: 'b' });
    kit.write('patch.yaml', '- op: replace\n  path: /spec/revisionHistoryLimit\n  value: 7\n');
    expect(await kit.shown('patch service telemetry --type json --patch-file patch.yaml')).toContain('patched');
    expect((await get('telemetry')).spec.revisionHistoryLimit).toBe(7);
    const refused = await patch(
      '[{"op":"remove","path":"/spec/template/env"},{"op":"test","path":"/spec/paused","value":"x"}]',
    );
    expect(refused).toMatch(/^! ecsmctl: --patch: .*\n= 1\n$/);
    expect((await get('telemetry')).spec.template.env).toBeDefined();
  });
});

describe('replace', () => {
  it('replaces the whole spec of an existing object', async () => {
    kit.write('telemetry.yaml', serviceText('telemetry'));
    expect(await kit.shown('replace -f telemetry.yaml --dry-run')).toBe('ecsmservice/telemetry replaced (dry run)\n');
    expect(await kit.shown('replace -f telemetry.yaml')).toBe('ecsmservice/telemetry replaced\n');
    expect((await get('telemetry')).spec.template.env).toBeUndefined();
    kit.write('missing.yaml', serviceText('missing'));
    expect(await kit.shown('replace -f missing.yaml')).toContain('there is no ecsmservice "missing"');
    kit.write('old.yaml', serviceText('telemetry', { metadata: '  resourceVersion: "1"\n' }));
    expect(await kit.shown('replace -f old.yaml')).toContain('= 1');
    expect(await kit.shown('replace -f telemetry.yaml,missing.yaml')).toContain('ecsmservice/telemetry replaced\n');
  });
});

describe('set env and set resources', () => {
  it('set, remove and list', async () => {
    expect(await kit.shown('set env service/telemetry RATE=20 TOKEN=x=y')).toBe('ecsmservice/telemetry env updated\n');
    expect(await kit.shown('set env service/telemetry RATE=30 NOTHING-')).toBe('ecsmservice/telemetry env updated\n');
    expect(await kit.shown('set env service/telemetry --list')).toBe(
      '# ecsmservice/telemetry\nRATE=30\nTOKEN=<hidden>\n',
    );
    expect(await kit.shown('set env service/telemetry RATE- TOKEN-')).toBe('ecsmservice/telemetry env updated\n');
    expect((await get('telemetry')).spec.template.env).toBeUndefined();
    const set = (limits: string) => kit.shown(`set resources service/telemetry --limits=${limits}`);
    expect(await set('memory=512Mi,disk=1Gi')).toBe('ecsmservice/telemetry resource requirements updated\n');
    expect(await set('disk=0')).toBe('ecsmservice/telemetry resource requirements updated\n');
    expect((await get('telemetry')).spec.template.resources?.limits).toEqual({ memory: '512Mi' });
    expect(await set('memory=much')).toContain('= ');
  });
});
