import { describe, expect, it } from 'vitest';
import { hiddenIn, redactBoth, redactObject } from './secrets.ts';
import { knownKinds } from './session.ts';

const service = (password: string, ...env: readonly (readonly [string, string])[]) => ({
  spec: { vsoa: { port: 1, password }, env: env.map(([name, value]) => ({ name, value })), command: ['run'] },
});
const env = (object: unknown) => (object as ReturnType<typeof service>).spec.env;

describe('an object without its secrets', () => {
  interface Node {
    readonly secret?: true;
    readonly properties?: Readonly<Record<string, Node>>;
  }
  const pathsOf = (schema: Node, path: readonly string[] = []): readonly (readonly string[])[] =>
    schema.secret
      ? [path]
      : Object.entries(schema.properties ?? {}).flatMap(([name, field]) => pathsOf(field, [...path, name]));
  const marked = knownKinds.kinds.flatMap((kind) =>
    pathsOf(kind.schema).map((path) => ({ kind, path, text: path.join('.') })),
  );

  it('knows kinds that mark secrets', () => {
    expect(marked.map(({ text }) => text)).toContain('spec.template.vsoa.password');
  });

  it.each(marked)('hides $text of a $kind.kind', ({ kind, path }) => {
    const object = (value: string) =>
      path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>;
    const named = { apiVersion: kind.apiVersion, kind: kind.kind };
    expect(redactObject({ ...named, ...object('hunter2') })).toEqual({ ...named, ...object('<hidden>') });
  });
});

describe('two objects without their secrets', () => {
  it('are equal except for the secrets', () => {
    const { before, after } = redactBoth(service('a', ['TOKEN', 'x']), service('a', ['TOKEN', 'x']));
    expect(before).toEqual(service('<hidden>', ['TOKEN', '<hidden>']));
    expect(after).toEqual(before);
  });

  it('show that a secret has changed, but no value', () => {
    const both = redactBoth(service('hunter2', ['TOKEN', 'x']), service('hunter3', ['TOKEN', 'y']));
    expect(both.after).toEqual(service('<hidden> (changed)', ['TOKEN', '<hidden> (changed)']));
    expect(JSON.stringify(both)).not.toMatch(/hunter|"x"|"y"/);
  });

  it('show it within texts too', () => {
    const both = redactBoth({ args: 'run --token=a' }, { args: 'run --token=b' });
    expect(both).toEqual({
      before: { args: 'run --token=<hidden>' },
      after: { args: 'run --token=<hidden> (changed)' },
    });
  });

  it('compare entries of a list by their names', () => {
    const both = redactBoth(
      service('a', ['A_TOKEN', '1'], ['B_TOKEN', '2']),
      service('a', ['NEW', '0'], ['B_TOKEN', '2'], ['A_TOKEN', '9']),
    );
    expect(env(both.after)).toEqual([
      { name: 'NEW', value: '0' },
      { name: 'B_TOKEN', value: '<hidden>' },
      { name: 'A_TOKEN', value: '<hidden> (changed)' },
    ]);
  });

  it('do not mention a secret that was added or removed', () => {
    expect(redactBoth({ a: 1 }, { a: 1, password: 'x' }).after).toEqual({ a: 1, password: '<hidden>' });
    expect(redactBoth(undefined, { password: 'x' })).toEqual({ before: undefined, after: { password: '<hidden>' } });
    expect(redactBoth({ password: 'x' }, {})).toEqual({ before: { password: '<hidden>' }, after: {} });
  });
});

describe('placeholders', () => {
  it('are found in whole values and in parts of texts', () => {
    expect(hiddenIn({ a: { b: 'x <hidden>' }, list: ['a', '<hidden>'] })).toEqual(['a.b', 'list[1]']);
    expect(hiddenIn({ a: 'b' })).toEqual([]);
  });
});
