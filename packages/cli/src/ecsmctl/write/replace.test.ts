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

  it('refuses placeholders of secrets, and a file that is not UTF-8', async () => {
    const path = '/spec/template/vsoa/password';
    expect(await patch(`[{"op":"replace","path":"${path}","value":"<hidden>"}]`)).toContain(
      '! ecsmctl: --patch: [0].value: "<hidden>" is a placeholder for a secret: write the secret itself\n',
    );
    kit.write('latin1.json', Buffer.from(`[{"op":"replace","path":"${path}","value":"gr\u00fcn"}]`, 'latin1'));
    expect(await kit.shown('patch service telemetry --type json --patch-file latin1.json')).toContain(
      '! ecsmctl: latin1.json is not UTF-8: save the patch as UTF-8\n',
    );
    expect((await get('telemetry')).spec.template.vsoa?.password).toBe('hunter2');
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

describe('replace of an object with a finalizer', () => {
  it('keeps it, unless the file has another list', async () => {
    const finalizers = ['ecsm.sh/platform-service'];
    await kit.inside((registry) => registry.resource(ECSMService).patch('camera', { metadata: { finalizers } }));
    kit.write('camera.yaml', serviceText('camera'));
    expect(await kit.shown('replace -f camera.yaml')).toBe('ecsmservice/camera replaced\n');
    expect((await get('camera')).metadata.finalizers).toEqual(finalizers);
    kit.write('camera.yaml', serviceText('camera', { metadata: '  finalizers: []\n' }));
    expect(await kit.shown('replace -f camera.yaml')).toBe('ecsmservice/camera replaced\n');
    expect((await get('camera')).metadata.finalizers).toBeUndefined();
  });
});

describe('an object without a namespace and without a spec', () => {
  const priority = (description: string) =>
    `apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high }\nvalue: 7\ndescription: ${description}\n`;
  const description = () => kit.shown("get priorityclass high -o jsonpath='{.description}'");

  it('is created, replaced and edited', async () => {
    kit.write('high.yaml', priority('one'));
    expect(await kit.shown('create -f high.yaml')).toBe('priorityclass/high created\n');
    kit.write('high.yaml', priority('two'));
    expect(await kit.shown('replace -f high.yaml')).toBe('priorityclass/high replaced\n');
    expect(await description()).toBe('two');
    const editor = (text: string) => text.replace('two', 'three');
    expect(await kit.shown('edit priorityclass high', { editor })).toBe('priorityclass/high edited\n');
    expect(await description()).toBe('three');
    expect(await kit.shown('diff -f high.yaml')).toMatch(/^--- live\/priorityclass\/high\.yaml\n/);
    expect(await kit.shown('describe priorityclass high')).toMatch(/^Name: +high\nKind: /);
    expect(await kit.shown('get priorityclass hihg')).toBe(
      '! ecsmctl: there is no priorityclass "hihg". Did you mean "high"?\n= 1\n',
    );
  });
});

describe('set env and set resources', () => {
  it('set, remove and list', async () => {
    expect(await kit.shown('set env service/telemetry RATE=20 TOKEN=x=y')).toBe('ecsmservice/telemetry env updated\n');
    expect(await kit.shown('set env service/telemetry RATE=30 NOTHING-')).toBe('ecsmservice/telemetry env updated\n');
    expect(await kit.shown('set env service/telemetry --list')).toBe(
      '# ecsmservice/telemetry\nRATE=<hidden>\nTOKEN=<hidden>\n',
    );
    expect(await kit.shown('set env service/telemetry --list --show-values')).toBe(
      '# ecsmservice/telemetry\nRATE=30\nTOKEN=x=y\n',
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
