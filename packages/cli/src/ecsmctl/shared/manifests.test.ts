import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '@ecsm/command-line';
import type { TestTerminalOptions } from '@ecsm/command-line/testing';
import { describe, expect, it } from 'vitest';
import { filenameFlag, globalFlags, recursiveFlag } from './flags.ts';
import { readManifestFiles } from './manifests.ts';
import { kindsText, registryKit } from './registry.kit.ts';
import { withoutRegistry } from './session.ts';

/** A program with one command, which prints what it has read. */
const program: Program = {
  name: 'ecsmctl',
  help: 'for tests',
  examples: [],
  flags: globalFlags,
  commands: [
    {
      name: 'read',
      help: 'reads',
      examples: [],
      flags: [filenameFlag, recursiveFlag],
      load: async () => ({
        run: async (call) => {
          const documents = await readManifestFiles(call, await withoutRegistry(call));
          for (const { kind, namespace, name, object } of documents) {
            call.terminal.out.write(`${kind.kind} ${namespace}/${name} ${object.metadata.namespace}\n`);
          }
        },
      }),
    },
  ],
};

const kit = registryKit('sqlite', program);
const service = (name: string, more = '', metadata = '') => `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata:
  name: ${name}
${metadata}spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1] }
  template: { image: ${name}@1.0.0 }
${more}`;

const write = (name: string, content: string | Uint8Array) => {
  const path = join(kit.directory, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
};
const read = (flags: string, options?: TestTerminalOptions) => kit.run(`read ${flags}`, options);

write('one.yaml', service('one'));
write('two.yaml', `${service('two')}---\n# nothing here\n---\n${service('three', '', '  namespace: orbit\n')}`);
write('dir/a.yml', service('a'));
write('dir/b.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [] }));
write('dir/readme.md', 'kind: [');
write('dir/deep/c.yaml', service('c'));
write('dir/comment.yaml', '# later\n');
write('only-deep/x/c.yaml', service('c'));
write('nothing/readme.md', '');

describe('objects in files', () => {
  it('are read in order, with the default namespace if they have none', async () => {
    expect(await read('-f two.yaml -f one.yaml -n space')).toMatchObject({ code: 1 });
    expect(await read('-f two.yaml -f one.yaml', { env: { ECSM_NAMESPACE: 'space' } })).toEqual({
      code: 0,
      out: 'ECSMService space/two space\nECSMService orbit/three orbit\nECSMService space/one space\n',
      err: '',
    });
  });

  it('can be read from standard input', async () => {
    expect(await read('-f -', { input: service('piped') })).toMatchObject({
      out: 'ECSMService default/piped default\n',
    });
  });

  it('are read from the manifests of a directory, and with -R of its subdirectories', async () => {
    expect(await read('-f dir')).toEqual({ code: 0, out: 'ECSMService default/a default\n', err: '' });
    expect(await read('-R -f dir')).toMatchObject({
      out: 'ECSMService default/a default\nECSMService default/c default\n',
    });
  });
});

describe('invalid files', () => {
  write('empty.yaml', '');
  write('comments.yaml', '# nothing\n---\n');
  write('dir-of-nothing/a.yaml', '');
  write('syntax.yaml', 'kind: ECSMService\n  name: [\n');
  write('number.yaml', '42\n');
  write('utf16.yaml', Buffer.from('\ufeffkind: x', 'utf16le'));
  write('latin1.yaml', Buffer.from('kind: caf\u00e9', 'latin1'));
  write('huge.yaml', `kind: ${'x'.repeat(17 * 1024 * 1024)}`);
  write('pod.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: {}\n');
  write('version.yaml', service('v').replace('ecsm.sh/v1', 'ecsm.sh/v2'));
  write('field.yaml', service('f', '  replica: 3\n'));
  write('kindless.yaml', 'metadata: { name: a }\n');
  write('again.yaml', service('one'));
  write('hidden.yaml', service('h', '').replace('@1.0.0 }', '@1.0.0, vsoa: { password: <hidden> } }'));
  write(
    'hidden-part.yaml',
    service('h', '').replace('@1.0.0 }', '@1.0.0, env: [{ name: DB, value: "postgres://<hidden>@db/x" }] }'),
  );
  write('hidden-note.yaml', service('h', '').replace('name: h', 'name: h\n  annotations: { a.b/token: <hidden> }'));
  write('many.yaml', service('many', '  replica: 3\n  pause: true\n'));

  it.each([
    ['', 2, 'specify the manifests: -f FILE, -f DIR, or -f - for standard input'],
    ['-f - -f -', 2, 'standard input can be read only once: -f -'],
    ['-f -', 2, 'standard input is a terminal: name a file'],
    ['-f absent.yaml', 1, 'there is no file "absent.yaml"'],
    ['-f nothing', 1, 'there is no .yaml, .yml or .json file in the directory "nothing"'],
    [
      '-f only-deep',
      1,
      'there is no .yaml, .yml or .json file in the directory "only-deep": use -R to read its subdirectories',
    ],
    ['-f empty.yaml', 1, 'empty.yaml: the file is empty: an object starts with "apiVersion:"'],
    ['-f comments.yaml', 1, 'comments.yaml: the file is empty: an object starts with "apiVersion:"'],
    ['-f dir-of-nothing', 1, 'dir-of-nothing: the files contain no objects'],
    ['-f number.yaml', 1, 'number.yaml:1:1: expected an object, found the number 42'],
    ['-f utf16.yaml', 1, 'utf16.yaml:1:1: the file is UTF-16: save it as UTF-8'],
    ['-f latin1.yaml', 1, 'latin1.yaml:1:10: byte 0xe9 is not UTF-8: save the file as UTF-8'],
    ['-f huge.yaml', 1, 'huge.yaml is 17825798 bytes, over the limit of 16777216'],
    ['-f pod.yaml', 1, `pod.yaml:2:1: kind: Unsupported value: "Pod": known kinds are ${kindsText}`],
    ['-f version.yaml', 1, 'version.yaml:1:1: apiVersion: Unsupported value: "ecsm.sh/v2": did you mean "ecsm.sh/v1"?'],
    ['-f field.yaml', 1, 'field.yaml:8:3: spec.replica: Unknown field: '],
    [
      '-f one.yaml -f again.yaml',
      1,
      'again.yaml:4:3: ECSMService "one" is defined twice: also in one.yaml:4; keep one of them',
    ],
    [
      '-f two.yaml -n space',
      1,
      'two.yaml:15:3: metadata.namespace: the object is in the namespace "orbit", but -n is "space": omit one of them',
    ],
    [
      '-f hidden.yaml',
      1,
      'hidden.yaml:7:39: spec.template.vsoa.password: "<hidden>" is a placeholder for a secret: write the secret itself, or omit the field',
    ],
    [
      '-f hidden-part.yaml',
      1,
      'hidden-part.yaml:7:49: spec.template.env[0].value: "<hidden>" is a placeholder for a secret',
    ],
    [
      '-f hidden-note.yaml',
      1,
      'hidden-note.yaml:5:18: metadata.annotations[a.b/token]: "<hidden>" is a placeholder for a secret',
    ],
  ])('are refused in one line: %s', async (flags, code, message) => {
    const ran = await read(flags);
    expect(ran).toMatchObject({ code, out: '' });
    const [line, ...others] = ran.err.trimEnd().split('\n');
    expect(line?.startsWith(`ecsmctl: ${message}`) ? `ecsmctl: ${message}` : line).toBe(`ecsmctl: ${message}`);
    expect(others).toEqual(code === 2 ? ['Try: ecsmctl read --help'] : []);
  });

  it('may have placeholders in what is not written', async () => {
    write('shown.yaml', `${service('shown')}status: { message: "the password <hidden> was refused" }\n`);
    expect((await read('-f shown.yaml')).err).not.toContain('placeholder');
  });

  it('are reported with the place of the syntax error', async () => {
    expect((await read('-f syntax.yaml')).err).toMatch(/^ecsmctl: syntax\.yaml:1:\d+: .+\n$/);
  });

  it('are reported with all errors together', async () => {
    const { code, err } = await read('-f many.yaml -f kindless.yaml');
    expect(code).toBe(1);
    const lines = err.trimEnd().split('\n');
    expect(lines.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'many.yaml:8:3: spec.replica',
      'many.yaml:9:3: spec.pause',
      'kindless.yaml:1:1: apiVersion',
      'kindless.yaml:1:1: kind',
      'ecsmctl: 4 errors',
    ]);
  });
});
