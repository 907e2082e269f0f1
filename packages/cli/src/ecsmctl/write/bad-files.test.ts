/** Bad files, each with the one line that it gets. Nothing may be written for any of them. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry, kindsText } from '../shared/registry.kit.ts';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
let revision = 0;

beforeAll(async () => {
  await fillRegistry(kit);
  kit.write('fine.yaml', serviceText('fine'));
  revision = await kit.inside((registry) => registry.revision());
});

const badFiles: readonly (readonly [name: string, content: string | Uint8Array, message: string])[] = [
  ['empty.yaml', '', 'empty.yaml: the file is empty: an object starts with "apiVersion:"'],
  ['blank.yaml', '\n\n   \n', 'blank.yaml: the file is empty: an object starts with "apiVersion:"'],
  [
    'comments.yaml',
    '# nothing\n---\n# here\n',
    'comments.yaml: the file is empty: an object starts with "apiVersion:"',
  ],
  ['utf16le.yaml', Buffer.from('\ufeffkind: x', 'utf16le'), 'utf16le.yaml:1:1: the file is UTF-16: save it as UTF-8'],
  ['utf16be.yaml', Buffer.from([0xfe, 0xff, 0, 0x61]), 'utf16be.yaml:1:1: the file is UTF-16: save it as UTF-8'],
  [
    'latin1.yaml',
    Buffer.from('kind: caf\u00e9', 'latin1'),
    'latin1.yaml:1:10: byte 0xe9 is not UTF-8: save the file as UTF-8',
  ],
  [
    'binary.yaml',
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]),
    'binary.yaml:1:1: control character U+007F: the file is not plain UTF-8 text',
  ],
  ['gzip.yaml', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'gzip.yaml:1:2: byte 0x8b is not UTF-8: save the file as UTF-8'],
  ['large.yaml', `kind: ${'x'.repeat(17 * 1024 * 1024)}`, 'large.yaml is 17825798 bytes, over the limit of 16777216'],
  [
    'long.yaml',
    serviceText('long', { spec: `  paused: ${'x'.repeat(1024 * 1024)}\n` }),
    'long.yaml:1: document 1 is 1048812 bytes, over the limit of 1048576',
  ],
  ['number.yaml', '42\n', 'number.yaml:1:1: expected an object, found the number 42'],
  ['text.yaml', 'hello world\n', 'text.yaml:1:1: expected an object, found the string "hello world"'],
  ['list.yaml', '- a\n- b\n', 'list.yaml:1:3: expected an object, found the string "a"'],
  ['null.yaml', 'null\n', 'null.yaml:1:1: expected an object, found nothing'],
  ['tabs.yaml', 'kind: ECSMService\nmetadata:\n\tname: a\n', 'tabs.yaml:3:1: Tabs are not allowed as indentation'],
  [
    'indent.yaml',
    'kind: ECSMService\n  name: a\n',
    'indent.yaml:1:7: Nested mappings are not allowed in compact mappings',
  ],
  [
    'open.yaml',
    'spec: [1, 2\n',
    'open.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['quote.yaml', 'kind: "ECSM\n', 'quote.yaml:2:1: Missing closing "quote'],
  [
    'duplicate.yaml',
    serviceText('a', { spec: '  paused: true\n  paused: false\n' }),
    'duplicate.yaml:8:3: duplicate key "paused"',
  ],
  ['anchor.yaml', 'a: *nowhere\n', 'anchor.yaml:1:4: there is no anchor &nowhere before this alias'],
  ['merge.yaml', 'a: &x { b: 1 }\nc: { <<: *x }\n', 'merge.yaml:2:6: merge keys (<<) are not supported'],
  ['tag.yaml', 'a: !custom 1\n', 'tag.yaml:1:4: Unresolved tag: !custom'],
  ['directive.yaml', '%YAML 1.1\n---\na: yes\n', 'directive.yaml:1:1: the only supported directive is %YAML 1.2'],
  ['deep.yaml', `a: ${'['.repeat(200)}${']'.repeat(200)}\n`, 'deep.yaml:1:69: nested deeper than 64 levels'],
  [
    'bomb.yaml',
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefg'].map((one, index) => `${one}: &${one} [${Array(10).fill(`*${'abcdef'[index]}`).join(',')}]`).join('\n')}\n`,
    'bomb.yaml:6:14: with its aliases expanded, the document is over the limit of 1048576 bytes',
  ],
  ['bad.json', '{"kind": "ECSMService",}', 'bad.json:1:1: apiVersion: Required value: must be set to a string'],
  [
    'cut.json',
    '{"kind": "ECSMService", "metadata": {',
    'cut.json:1:38: Flow map in block collection must be sufficiently indented and end with a }',
  ],
  [
    'pod.yaml',
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: {}\n',
    `pod.yaml:2:1: kind: Unsupported value: "Pod": known kinds are ${kindsText}`,
  ],
  [
    'typo-kind.yaml',
    serviceText('a').replace('ECSMService', 'ECSMServce'),
    'typo-kind.yaml:2:1: kind: Unsupported value: "ECSMServce": did you mean "ECSMService"?',
  ],
  [
    'version.yaml',
    serviceText('a').replace('ecsm.sh/v1', 'ecsm.sh/v2'),
    'version.yaml:1:1: apiVersion: Unsupported value: "ecsm.sh/v2": did you mean "ecsm.sh/v1"?',
  ],
  [
    'nameless.yaml',
    serviceText('a').replace('  name: a\n', '  labels: {}\n'),
    'nameless.yaml:3:1: metadata.name: Required value: must be set',
  ],
  [
    'name.yaml',
    serviceText('My_Service'),
    "name.yaml:4:3: metadata.name: Invalid value: \"My_Service\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc')",
  ],
  ['name-number.yaml', serviceText('5'), 'name-number.yaml:4:3: metadata.name: Invalid value: 5: must be a string'],
  [
    'namespace.yaml',
    serviceText('a', { metadata: '  namespace: "no way"\n' }),
    "namespace.yaml:5:3: metadata.namespace: Invalid value: \"no way\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc')",
  ],
  [
    'field.yaml',
    serviceText('a', { spec: '  pausd: true\n' }),
    'field.yaml:7:3: spec.pausd: Unknown field: did you mean "paused"?',
  ],
  [
    'top-field.yaml',
    `${serviceText('a')}speck: {}\n`,
    'top-field.yaml:10:1: speck: Unknown field: did you mean "spec"?',
  ],
  [
    'type.yaml',
    serviceText('a', { spec: '  paused: maybe\n' }),
    'type.yaml:7:3: spec.paused: Invalid value: "maybe": must be true or false',
  ],
  [
    'replicas.yaml',
    serviceText('a').replace('replicas: 2', 'replicas: -2'),
    'replicas.yaml:6:40: spec.deploymentStrategy.replicas: Invalid value: -2: must be greater than or equal to 0',
  ],
  [
    'enum.yaml',
    serviceText('a').replace('type: Dynamic', 'type: Dynamik'),
    'enum.yaml:6:25: spec.deploymentStrategy.type: Unsupported value: "Dynamik": supported values: "Dynamic", "Static"',
  ],
  [
    'image.yaml',
    serviceText('a').replace('a@1.0.0#sylixos', 'a:1.0.0'),
    'image.yaml:8:5: spec.template.image: Invalid value: "a:1.0.0": must be an image such as telemetry@1.2.0 or telemetry@1.2.0#sylixos',
  ],
  [
    'specless.yaml',
    'apiVersion: ecsm.sh/v1\nkind: ECSMService\nmetadata: { name: a }\n',
    'specless.yaml:1:1: spec: Required value: must be set',
  ],
  [
    'rule.yaml',
    serviceText('a').replace('replicas: 2, ', ''),
    'rule.yaml:6:3: spec.deploymentStrategy.replicas: Required value: must be set when type is Dynamic',
  ],
  [
    'label.yaml',
    serviceText('a', { metadata: '  labels: { app: "a b" }\n' }),
    "label.yaml:5:13: metadata.labels.app: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')",
  ],
  [
    'hidden.yaml',
    serviceText('a').replace('hunter2', '<hidden>'),
    'hidden.yaml:9:13: spec.template.vsoa.password: "<hidden>" is a placeholder for a secret: write the secret itself, or omit the field',
  ],
  [
    'password.yaml',
    serviceText('a').replace('hunter2', '12345678'),
    'password.yaml:9:13: spec.template.vsoa.password: Invalid value: "<hidden>": must be a string',
  ],
  [
    'twice.yaml',
    `${serviceText('a')}---\n${serviceText('a')}`,
    'twice.yaml:14:3: ECSMService "a" is defined twice: also in twice.yaml:4; keep one of them',
  ],
  [
    'second.yaml',
    `${serviceText('a')}---\nkind: [\n`,
    'second.yaml:12:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
];

describe('a bad file', () => {
  it.each(badFiles)('%s', async (name, content, message) => {
    kit.write(name, content);
    expect(await kit.shown(`apply -f fine.yaml -f ${name}`)).toBe(`! ecsmctl: ${message}\n= 1\n`);
    const validated = await kit.run(`validate -f ${name}`);
    expect(validated.out.replace(/^.* is valid .*\n/, '')).toBe(`${message}\n`);
    expect([validated.code, validated.err]).toEqual([1, 'ecsmctl: validation failed: 1 error\n']);
    expect(await kit.inside((registry) => registry.revision())).toBe(revision);
  });

  it('of 100 MB is not read completely', async () => {
    kit.write('huge.yaml', '');
    truncateSync(join(kit.directory, 'huge.yaml'), 100 * 1024 * 1024);
    expect(await kit.shown('apply -f huge.yaml')).toBe(
      '! ecsmctl: huge.yaml is larger than the limit of 64 MiB\n= 1\n',
    );
  });

  it.each([
    ['none', 'there is no .yaml, .yml or .json file in the directory "none"'],
    ['deep', 'there is no .yaml, .yml or .json file in the directory "deep": use -R to read its subdirectories'],
    ['empty', 'empty: the files contain no objects'],
    ['nowhere.yaml', 'there is no file "nowhere.yaml"'],
    ['fine.yaml/x', 'there is no file "fine.yaml/x"'],
  ])('that is %s', async (name, message) => {
    kit.write('none/readme.md', '');
    kit.write('deep/below/a.yaml', serviceText('a'));
    kit.write('empty/a.yaml', '# later\n');
    expect(await kit.shown(`apply -f ${name}`)).toBe(`! ecsmctl: ${message}\n= 1\n`);
  });

  it('is reported with all errors of all files', async () => {
    kit.write('kindless.yaml', 'metadata: { name: a }\n');
    const both = '-f kindless.yaml -f nowhere.yaml -f tabs.yaml -f fine.yaml';
    const problems = [
      'there is no file "nowhere.yaml"',
      'tabs.yaml:3:1: Tabs are not allowed as indentation',
      'kindless.yaml:1:1: apiVersion: Required value: must be set to a string',
      'kindless.yaml:1:1: kind: Required value: must be set to a string',
    ];
    expect(await kit.shown(`apply ${both}`)).toBe(
      `${problems.map((one) => `! ${one}\n`).join('')}! ecsmctl: 4 errors: nothing was changed\n= 1\n`,
    );
    expect(await kit.shown(`validate ${both}`)).toBe(
      `ecsmservice/fine is valid (fine.yaml:1)\n${problems.join('\n')}\n! ecsmctl: validation failed: 4 errors\n= 1\n`,
    );
  });

  it('is reported from standard input too', async () => {
    expect(await kit.shown('apply -f -', { input: '' })).toBe(
      '! ecsmctl: standard input: the file is empty: an object starts with "apiVersion:"\n= 1\n',
    );
    expect(await kit.shown('apply -f -', { input: 'kind: [' })).toBe(
      '! ecsmctl: standard input:1:8: Flow sequence in block collection must be sufficiently indented and end with a ]\n= 1\n',
    );
  });
});
