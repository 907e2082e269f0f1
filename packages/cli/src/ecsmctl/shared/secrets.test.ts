import { describe, expect, it } from 'vitest';
import { hiddenIn, redactBoth, redactObject, restoreSecrets } from './secrets.ts';
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

describe('secrets that stay hidden in an edit', () => {
  const live = service('hunter2', ['RATE', '1'], ['A_TOKEN', 'a'], ['B_TOKEN', 'b']);
  const shown = service('<hidden>', ['RATE', '1'], ['A_TOKEN', '<hidden>'], ['B_TOKEN', '<hidden>']);

  it('keep their values', () => {
    expect(restoreSecrets(shown, live)).toEqual(live);
    expect(restoreSecrets({ spec: { ...shown.spec, command: ['other'] } }, live)).toEqual({
      spec: { ...live.spec, command: ['other'] },
    });
  });

  it('are replaced by new values', () => {
    expect(restoreSecrets(service('new', ['A_TOKEN', 'z'], ['B_TOKEN', '<hidden>']), live)).toEqual(
      service('new', ['A_TOKEN', 'z'], ['B_TOKEN', 'b']),
    );
  });

  it('follow their names when lines are moved, added and removed', () => {
    const edited = service('<hidden>', ['B_TOKEN', '<hidden>'], ['NEW', '7'], ['A_TOKEN', '<hidden>']);
    expect(env(restoreSecrets(edited, live))).toEqual(
      env(service('', ['B_TOKEN', 'b'], ['NEW', '7'], ['A_TOKEN', 'a'])),
    );
  });

  it('within texts are matched by their texts', () => {
    const from = { args: ['--token=a', 'x', 'y'] };
    expect(restoreSecrets({ args: ['x', '--token=<hidden>'] }, from)).toEqual({ args: ['x', '--token=a'] });
  });

  it('with equal placeholders are matched by their order, and by the flags before them', () => {
    const from = { args: ['x', '--token=a', '--token=b', '--password', 'c', '--secret', 'd'] };
    const edited = ['--token=<hidden>', '--token=<hidden>', '--secret', '<hidden>', '--password', '<hidden>'];
    expect(restoreSecrets({ args: edited }, from)).toEqual({
      args: ['--token=a', '--token=b', '--secret', 'd', '--password', 'c'],
    });
  });

  it('stay hidden if it is ambiguous which of them remains', () => {
    const from = { args: ['--token=a', '--token=b'], same: ['--token=a', '--token=a'] };
    expect(restoreSecrets({ args: ['--token=<hidden>'], same: ['--token=<hidden>'] }, from)).toEqual({
      args: ['--token=<hidden>'],
      same: ['--token=a'],
    });
    const devices = {
      list: [
        { path: '/a', password: 'x' },
        { path: '/b', password: 'y' },
      ],
    };
    const changed = { list: [{ path: '/c', password: '<hidden>' }] };
    expect(hiddenIn(restoreSecrets(changed, devices))).toEqual(['list[0].password']);
  });

  it('stay hidden, and are reported as errors, if there is no such secret', () => {
    const edited = service('<hidden>', ['C_TOKEN', '<hidden>']);
    expect(hiddenIn(restoreSecrets(edited, live))).toEqual(['spec.env[0].value']);
    expect(hiddenIn({ a: { b: 'x <hidden>' } })).toEqual(['a.b']);
    expect(hiddenIn(live)).toEqual([]);
  });
});
