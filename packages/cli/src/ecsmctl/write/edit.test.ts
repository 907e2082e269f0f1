/** `edit`, with people who make mistakes and with others who write at the same time. */
import { ECSMService } from '@ecsm/operator';
import { beforeEach, describe, expect, it } from 'vitest';
import { bodyOf } from './edit-text.ts';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
kit.write('telemetry.yaml', serviceText('telemetry'));

const services = <T>(look: (resource: ReturnType<typeof resourceOf>) => Promise<T>) =>
  kit.inside((registry) => look(resourceOf(registry)));
const resourceOf = (registry: Parameters<Parameters<typeof kit.inside>[0]>[0]) => registry.resource(ECSMService);

/** An editor that does one thing after the other, then nothing. */
function editor(...steps: readonly ((text: string) => string | Promise<string>)[]) {
  const opened: string[] = [];
  return {
    opened,
    editor: (text: string) => {
      opened.push(text);
      return steps[opened.length - 1]?.(text) ?? text;
    },
  };
}

beforeEach(async () => {
  await kit.run('delete services --all --wait=false');
  await kit.run('apply -f telemetry.yaml');
});

const openedText = `# Edit the object, save, and exit the editor. These comments are ignored; an empty file cancels the edit.
#
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata:
  name: telemetry
  namespace: default
spec:
  deploymentStrategy:
    type: Dynamic
    replicas: 2
    nodePool:
      - node-1
      - node-2
  template:
    image: telemetry@1.0.0#sylixos
    vsoa:
      password: hunter2
      port: 0
    prepull: false
    platformSpecific:
      action: Run
  upgradeStrategy:
    type: Never
  updateStrategy:
    type: InPlace
    progressDeadlineSeconds: 600
  paused: false
  revisionHistoryLimit: 10
`;

describe('edit', () => {
  it('opens an object without managed fields, and saves the changes', async () => {
    const person = editor((text) => text.replace('replicas: 2', 'replicas: 5'));
    expect(await kit.shown('edit service telemetry', person)).toBe('ecsmservice/telemetry edited\n');
    expect(person.opened).toEqual([openedText]);
    const { spec, metadata } = await services((resource) => resource.get('telemetry'));
    expect(spec.deploymentStrategy.replicas).toBe(5);
    expect(spec.template.vsoa?.password).toBe('hunter2');
    expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(['ecsmctl', 'ecsmctl-edit']);
  });

  it.each<[what: string, change: (text: string) => string]>([
    ['nothing', (text) => text],
    ['only comments on top', (text) => text.replace('# Change', '# change')],
    [
      'how it is written',
      (text) => text.replace('nodePool:\n      - node-1\n      - node-2', 'nodePool: [node-1, node-2]'),
    ],
    ['everything into an empty file', () => ''],
    ['everything into comments', () => '# never mind\n'],
  ])('says so if a person changes %s', async (_, change) => {
    const before = await services((resource) => resource.get('telemetry'));
    expect(await kit.shown('edit service telemetry', editor(change))).toBe('! edit cancelled, no changes made\n');
    expect(await services((resource) => resource.get('telemetry'))).toEqual(before);
  });

  it('opens it again with the errors, by the lines that the editor shows', async () => {
    const person = editor(
      (text) => text.replace('replicas: 2', 'replicas: -1').replace('  paused:', '  pausd:'),
      (text) => text.replace('  pausd:', '  paused:'),
      (text) => text.replace('replicas: -1', 'replicas: [oops'),
      (text) => text.replace('replicas: [oops', 'replicas: 3'),
    );
    expect(await kit.shown('edit service telemetry', person)).toBe('ecsmservice/telemetry edited\n');
    const tops = person.opened.slice(1).map((text) => text.split('\n').filter((line) => line.startsWith('#   ')));
    expect(tops).toEqual([
      [
        '#   line 15: spec.deploymentStrategy.replicas: Invalid value: -1: must be greater than or equal to 0',
        '#   line 32: spec.pausd: Unknown field: did you mean "paused"?',
      ],
      ['#   line 14: spec.deploymentStrategy.replicas: Invalid value: -1: must be greater than or equal to 0'],
      [expect.stringMatching(/^# {3}line 1[45]: Flow sequence/)],
    ]);
    for (const [index, text] of person.opened.slice(1, 3).entries()) {
      const line = Number(/line (\d+): spec.deploymentStrategy/.exec(text)?.[1]);
      expect([index, text.split('\n')[line - 1]]).toEqual([index, '    replicas: -1']);
    }
  });

  it('reports errors of rules between fields too', async () => {
    const person = editor((text) => text.replace('type: Dynamic', 'type: Static'));
    expect(await kit.shown('edit service telemetry', person)).toBe(
      '! ecsmctl: edit cancelled: ecsmservice/telemetry was not changed\n= 1\n',
    );
    expect(person.opened[1]).toContain(
      'spec.deploymentStrategy.nodes: Required value: must be set when type is Static\n',
    );
  });

  it.each([
    ['name: telemetry', 'name: other', 'metadata.name cannot be changed: it has to be "telemetry"'],
    ['namespace: default', 'namespace: orbit', 'metadata.namespace cannot be changed: it has to be "default"'],
    ['kind: ECSMService', 'kind: Lease', 'kind cannot be changed: it has to be "ECSMService"'],
    [
      'password: hunter2',
      'password: <hidden>',
      'spec.template.vsoa.password: "<hidden>" is a placeholder for a secret: write the secret itself',
    ],
    ['apiVersion', '---\na: b\n---\napiVersion', 'there has to be a single object'],
  ])('refuses %s as %s', async (from, to, message) => {
    const person = editor((text) => text.replace(from, to));
    expect((await kit.run('edit service telemetry', person)).code).toBe(1);
    expect(person.opened[1]).toContain(message);
  });

  it('changes a secret', async () => {
    await kit.shown(
      'edit service telemetry',
      editor((text) => text.replace('hunter2', 'hunter4')),
    );
    const { spec } = await services((resource) => resource.get('telemetry'));
    expect(spec.template.vsoa?.password).toBe('hunter4');
  });

  it('ignores status writes of the operator meanwhile', async () => {
    const person = editor(async (text) => {
      await services((resource) => resource.updateStatus({ metadata: { name: 'telemetry' }, status: { replicas: 2 } }));
      return text.replace('replicas: 2', 'replicas: 4');
    });
    expect(await kit.shown('edit service telemetry', person)).toBe('ecsmservice/telemetry edited\n');
    const { spec, status } = await services((resource) => resource.get('telemetry'));
    expect([spec.deploymentStrategy.replicas, status?.replicas]).toEqual([4, 2]);
  });

  const others = async (text: string) => {
    await services((resource) =>
      resource.patch('telemetry', {
        metadata: { labels: { by: 'others' } },
        spec: { template: { vsoa: { password: 'hunter5' } } },
      }),
    );
    return text.replace('replicas: 2', 'replicas: 4');
  };
  const top = `# ecsmservice/telemetry was changed by others while you were editing. Below is your text, as you saved it.
# The changes of others are listed here: merge them into your text, and save. To save your text as it is, delete
# these comments first. To cancel, exit without changes.
#
#   @@ -3,6 +3,8 @@
#    metadata:
#      name: telemetry
#      namespace: default
#   +  labels:
#   +    by: others
#    spec:
#      deploymentStrategy:
#        type: Dynamic
#   @@ -13,7 +15,7 @@
#      template:
#        image: telemetry@1.0.0#sylixos
#        vsoa:
#   -      password: hunter2
#   +      password: hunter5
#          port: 0
#        prepull: false
#        platformSpecific:
#
# Edit the object, sav`;

  it('shows concurrent changes, and lets the user merge them', async () => {
    const person = editor(others, (text) =>
      bodyOf(text).replace('default\nspec', 'default\n  labels: { by: others }\nspec').replace('hunter2', 'hunter5'),
    );
    expect(await kit.shown('edit service telemetry', person)).toBe('ecsmservice/telemetry edited\n');
    expect(person.opened[1]?.slice(0, top.length)).toBe(top);
    expect(bodyOf(person.opened[1] ?? '')).toContain('replicas: 4');
    const { spec, metadata } = await services((resource) => resource.get('telemetry'));
    expect([spec.deploymentStrategy.replicas, metadata.labels]).toEqual([4, { by: 'others' }]);
    expect(spec.template.vsoa?.password).toBe('hunter5');
  });

  it('ends without a change if the user aborts, and keeps the text if the user chooses so', async () => {
    expect(await kit.shown('edit service telemetry', editor(others))).toBe(
      '! ecsmctl: edit cancelled: ecsmservice/telemetry was not changed, except by others\n= 1\n',
    );
    await kit.run('label service telemetry by-');
    expect(await kit.shown('edit service telemetry', editor(others, bodyOf))).toBe('ecsmservice/telemetry edited\n');
    const { metadata } = await services((resource) => resource.get('telemetry'));
    expect(metadata.labels).toBeUndefined();
  });

  it('fails after too many invalid texts', async () => {
    let count = 0;
    const machine = { editor: (text: string) => text.replace(/^ {4}replicas: .*/m, `    replicas: -${++count}`) };
    expect(await kit.shown('edit service telemetry', machine)).toBe(
      '! ecsmctl: edit cancelled: ecsmservice/telemetry was saved 100 times, but never valid\n= 1\n',
    );
  });

  it('edits several objects, one after the other', async () => {
    await kit.run('apply -f -', { input: serviceText('camera') });
    const person = editor(
      (text) => text,
      (text) => text.replace('replicas: 2', 'replicas: 1'),
    );
    expect(await kit.shown('edit service telemetry camera -o name', person)).toBe(
      'ecsmservice/camera\n! edit cancelled, no changes made\n',
    );
  });
});
