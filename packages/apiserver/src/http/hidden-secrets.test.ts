/**
 * What users who may not get Secrets see of objects whose kind marks secrets: everything but these, in every form of an
 * answer. What they write keeps what they do not see, and no answer tells whether they have guessed it.
 */
import { defineKind, schema } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditRecord, formatRecord } from '../audit/record.ts';
import type { Authenticator } from '../auth/contract.ts';
import { access, rule, user } from '../auth/rbac/rbac.kit.ts';
import { Namespace, Secret } from '../kinds/core.ts';
import { HiddenSecrets } from './hidden-secrets.ts';
import { type Reply, type RunningServer, startServer } from './server.kit.ts';

const { list, object, optional, string, withDefault } = schema;

const secretValue = 'hunter2-4711';
const Service = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'ECSMService',
  plural: 'ecsmservices',
  spec: object({
    image: string(),
    command: optional(list(string({ secret: true }), { secret: true })),
    env: optional(
      list(object({ name: string(), value: withDefault(string({ secret: true }), '') }), { uniqueBy: 'name' }),
    ),
    vsoa: optional(object({ port: optional(string()), password: optional(string({ minLength: 3, secret: true })) })),
  }),
  status: object({ phase: optional(string()) }),
  columns: [{ name: 'IMAGE', path: 'spec.image' }],
});

const subject = (name: string) => [{ kind: 'User' as const, name }];
const bind = (name: string, namespace: string, kind: 'ClusterRole' | 'Role' = 'ClusterRole', role = name) => ({
  name: `${name}-${namespace}`,
  namespace,
  subjects: subject(name),
  roleRef: { kind, name: role },
});
const { source } = access({
  roles: [
    // As `edit`, without Secrets; and with one Secret by name, which is not the permission to get Secrets.
    { name: 'writer', namespace: 'here', rules: [rule('*', '*', 'ecsm.sh'), rule('get', 'secrets', '', 'one')] },
    { name: 'lister', namespace: 'here', rules: [rule('list,watch', 'secrets')] },
  ],
  clusterRoles: [{ name: 'viewer', labels: {}, rules: [rule('get,list,watch', '*', 'ecsm.sh')] }],
  roleBindings: [
    ...['view', 'edit', 'admin'].map((name) => bind(name, 'here')),
    bind('writer', 'here', 'Role'),
    bind('lister', 'here', 'Role'),
    bind('mixed', 'there', 'ClusterRole', 'edit'),
  ],
  clusterRoleBindings: [
    { name: 'mixed', subjects: subject('mixed'), roleRef: { kind: 'ClusterRole', name: 'viewer' } },
  ],
});
const users = new Map([['root', user('root', 'system:masters')]]);
for (const name of ['view', 'edit', 'admin', 'writer', 'lister', 'mixed']) users.set(name, user(name));
const authenticator: Authenticator = {
  authenticate: async ({ authorization }) => (authorization === undefined ? undefined : users.get(authorization)),
};

const kubectl = 'kubectl.kubernetes.io/last-applied-configuration';
const env = [
  { name: 'ADMIN_PIN', value: secretValue },
  { name: 'EMPTY', value: '' },
];
const spec = { image: 'a', command: ['run', secretValue], env, vsoa: { port: '1', password: secretValue } };
const seen = { image: 'a', env: [{ name: 'ADMIN_PIN' }, { name: 'EMPTY' }], vsoa: { port: '1' } };
const applied = JSON.stringify({ spec });
const place = (namespace = 'here') => `/apis/ecsm.sh/v1/namespaces/${namespace}/ecsmservices`;
const path = `${place()}/web`;
const all = '/apis/ecsm.sh/v1/ecsmservices';
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const warning = /^299 - "hidden, because you may not get secrets: spec\.command, spec\.env\[\]\.value, /;

/** Without times, which also decide their order. */
const fieldsOf = (entries: readonly { readonly time: string; readonly manager: string }[]) =>
  entries.map(({ time: _, ...entry }) => entry).sort((one, other) => (one.manager < other.manager ? -1 : 1));

let running: RunningServer;
let records: AuditRecord[];

const as = (name: string, method: string, at: string, body?: unknown, type?: string, accept?: string) =>
  running.call(method, at, body, {
    Authorization: name,
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(accept === undefined ? {} : { Accept: accept }),
  });
const service = (name: string, content: unknown = spec) => ({
  apiVersion: 'ecsm.sh/v1',
  kind: 'ECSMService',
  metadata: { name, annotations: { [kubectl]: applied } },
  spec: content,
});
const stored = async (name = 'web') => (await running.registry.resource(Service).get(name, { namespace: 'here' })).spec;

beforeEach(async () => {
  records = [];
  running = await startServer({
    kinds: [Service, Namespace, Secret],
    authenticator,
    rbac: source,
    onEnd: (record) => void records.push(record),
  });
  for (const name of ['here', 'there']) await as('root', 'POST', '/api/v1/namespaces', { metadata: { name } });
  for (const namespace of ['here', 'there']) {
    const { code, text } = await as('root', 'POST', `${place(namespace)}?fieldManager=owner`, service('web'));
    expect(code, text).toBe(201);
  }
});
afterEach(() => running.close());

const expectHidden = ({ code, text, headers }: Reply, expected = 200) => {
  expect(code, text).toBe(expected);
  expect(text).not.toContain('4711');
  expect(text).not.toContain('"value"');
  expect(headers['warning']).toMatch(warning);
};

describe('a user who may not get secrets', () => {
  it.each(['view', 'writer'])('reads no value as %s, in any form', async (name) => {
    const read = await as(name, 'GET', path);
    expectHidden(read);
    expect(read.body.spec).toEqual(seen);
    expect(JSON.parse(read.body.metadata.annotations[kubectl])).toEqual({ spec: seen });
    for (const at of [place(), `${place()}?limit=1`, `${place()}?fieldSelector=metadata.name%3Dweb`]) {
      expectHidden(await as(name, 'GET', at));
    }
    for (const include of ['None', 'Metadata', 'Object']) {
      const { code, text } = await as(name, 'GET', `${place()}?includeObject=${include}`, undefined, undefined, table);
      expect([code, text.includes('4711')]).toEqual([200, false]);
      expect(
        (await as(name, 'GET', `${path}?includeObject=${include}`, undefined, undefined, table)).text,
      ).not.toContain('4711');
    }
    expect((await as(name, 'GET', path, undefined, undefined, partial)).text).not.toContain('4711');
    expect((await as(name, 'GET', path, undefined, undefined, 'application/yaml')).text).not.toContain('4711');
    expect((await as(name, 'GET', `${path}/status`)).text).not.toContain('4711');
  });

  it('watches no value, from the start and later, as objects and as a table', async () => {
    const { body } = await as('view', 'GET', place());
    const { resourceVersion } = body.metadata;
    const changed = await as('root', 'PATCH', path, { spec: { image: 'b' } }, mergePatch);
    expect(changed.code).toBe(200);
    const from = `${place()}?watch=1&allowWatchBookmarks=true`;
    for (const at of [from, `${from}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`]) {
      const lines = await running.watch(at, 1, { Authorization: 'view' });
      expect(JSON.stringify(lines)).not.toContain('4711');
    }
    const after = `${from}&resourceVersion=${resourceVersion}`;
    for (const accept of ['application/json', table, `${partial}`]) {
      const lines = await running.watch(`${after}&includeObject=Object`, 1, { Authorization: 'view', Accept: accept });
      expect(lines).toMatchObject([{ type: 'MODIFIED' }]);
      expect(JSON.stringify(lines)).not.toContain('4711');
    }
    // Both forms of one event, from one object.
    const [[mine], [others]] = await Promise.all([
      running.watch(after, 1, { Authorization: 'view' }),
      running.watch(after, 1, { Authorization: 'edit' }),
    ]);
    expect(mine?.object.spec).toEqual({ ...seen, image: 'b' });
    expect(others?.object.spec).toEqual({ ...spec, image: 'b' });
    await as('root', 'DELETE', path);
    const [, deleted] = await running.watch(after, 2, { Authorization: 'view' });
    expect(deleted).toMatchObject({ type: 'DELETED', object: { spec: { ...seen, image: 'b' } } });
  });

  it('is decided for each namespace of a list and of a watch', async () => {
    // After one whose secrets are visible.
    await as('root', 'POST', '/api/v1/namespaces', { metadata: { name: 'zone' } });
    await as('root', 'POST', place('zone'), service('web'));
    const { body, headers } = await as('mixed', 'GET', all);
    expect(body.items.map(({ spec: shown }: { spec: unknown }) => shown)).toEqual([seen, spec, seen]);
    expect(headers['warning']).toMatch(warning);
    expect((await as('mixed', 'GET', `${place('there')}/web`)).body.spec).toEqual(spec);
    const lines = await running.watch(`${all}?watch=1`, 3, { Authorization: 'mixed' });
    expect(lines.map((line) => line.object.spec)).toEqual([seen, spec, seen]);
  });

  it('gets no value in answers to writes and deletions, nor in a dry run', async () => {
    expectHidden(await as('writer', 'PATCH', path, { spec: { image: 'c' } }, mergePatch));
    expectHidden(await as('writer', 'PATCH', `${path}?dryRun=All`, { spec: { image: 'd' } }, mergePatch));
    expectHidden(await as('writer', 'PATCH', `${path}/status`, { status: { phase: 'x' } }, mergePatch));
    expectHidden(await as('writer', 'POST', `${place()}?dryRun=All`, service('new')), 201);
    expectHidden(await as('writer', 'POST', place(), service('new')), 201);
    await as('root', 'PATCH', path, { metadata: { finalizers: ['example.io/wait'] } }, mergePatch);
    expectHidden(await as('writer', 'DELETE', path));
    expectHidden(await as('writer', 'DELETE', place()));
  });

  it('cannot select by a value', async () => {
    for (const name of ['view', 'edit']) {
      for (const field of [
        'spec.vsoa.password',
        'spec.env[0].value',
        'spec.command[1]',
        `metadata.annotations[${kubectl}]`,
      ]) {
        const selector = encodeURIComponent(`${field}=${secretValue}`);
        const { code, text } = await as(name, 'GET', `${place()}?fieldSelector=${selector}`);
        expect([code, text]).toEqual([400, expect.stringContaining('is hidden')]);
      }
    }
  });

  it('is not recorded with a value in the audit log', async () => {
    await as('writer', 'PUT', `${path}?x=4711`, service('web'));
    await as('edit', 'PATCH', path, { spec: { command: [secretValue] } }, mergePatch);
    expect(records.map((record) => formatRecord(record, String)).join('')).not.toContain('4711');
  });
});

describe('a user who may get secrets', () => {
  it.each(['edit', 'admin', 'root'])('reads all values as %s, without a warning', async (name) => {
    const { body, headers } = await as(name, 'GET', path);
    expect([body.spec, headers['warning']]).toEqual([spec, undefined]);
    expect((await as(name, 'GET', place())).body.items[0].spec).toEqual(spec);
    const changed = await as(name, 'PATCH', path, { spec: { command: ['x'] } }, mergePatch);
    expect([changed.body.spec.command, changed.headers['warning']]).toEqual([['x'], undefined]);
    const [line] = await running.watch(`${place()}?watch=1`, 1, { Authorization: name });
    expect(line?.object.spec).toEqual({ ...spec, command: ['x'] });
  });

  it('writes a value only if it is a change', async () => {
    const before = await as('edit', 'GET', path);
    const same = await as('edit', 'PATCH', path, { spec: { command: spec.command } }, mergePatch);
    expect(same.body.metadata).toEqual(before.body.metadata);
  });
});

describe('a copy without secrets', () => {
  it('is the same one for all watches of an object, and a new one for each other answer', async () => {
    const object = await running.registry.resource(Service).get('web', { namespace: 'here' });
    const viewer = () => HiddenSecrets.of(Service, undefined, () => false);
    const [one, other] = [viewer()?.shown(object, true), viewer()?.shown(object, true)];
    expect(one?.spec).toEqual(seen);
    expect(other).toBe(one);
    expect(viewer()?.shown(object)).not.toBe(one);
    expect(HiddenSecrets.of(Service, undefined, () => true)).toBeUndefined();
    expect(HiddenSecrets.of(Namespace, undefined, () => false)).toBeUndefined();
  });
});

describe('the Secrets themselves', () => {
  it('are listed with their data by users who may only list them', async () => {
    await as('root', 'POST', '/api/v1/namespaces/here/secrets', { metadata: { name: 'x' }, stringData: { a: 'b' } });
    const { body, headers } = await as('lister', 'GET', '/api/v1/namespaces/here/secrets');
    expect([body.items[0].data, headers['warning']]).toEqual([{ a: 'Yg==' }, undefined]);
  });
});

describe('a write of a user who may not get secrets', () => {
  it('keeps them in what was read and is written back', async () => {
    const { body } = await as('writer', 'GET', path);
    const written = await as('writer', 'PUT', path, { ...body, spec: { ...body.spec, image: 'b' } });
    expectHidden(written);
    expect(await stored()).toEqual({ ...spec, image: 'b' });
    const { annotations } = (await running.registry.resource(Service).get('web', { namespace: 'here' })).metadata;
    expect(annotations?.[kubectl]).toBe(applied);
    const again = await as('writer', 'PUT', path, written.body);
    expect(again.body.metadata.resourceVersion).toBe(written.body.metadata.resourceVersion);
  });

  it('keeps them in lists that a merge patch replaces, and follows the names', async () => {
    const changed = { spec: { env: [{ name: 'NEW', value: 'n' }, { name: 'EMPTY' }, { name: 'ADMIN_PIN' }] } };
    expectHidden(await as('writer', 'PATCH', path, changed, mergePatch));
    expect((await stored()).env).toEqual([
      { name: 'NEW', value: 'n' },
      { name: 'EMPTY', value: '' },
      { name: 'ADMIN_PIN', value: secretValue },
    ]);
  });

  it('sets and removes them', async () => {
    const patch = { spec: { command: null, vsoa: { password: 'new' }, env: [{ name: 'ADMIN_PIN', value: '1' }] } };
    expect((await as('writer', 'PATCH', path, patch, mergePatch)).code).toBe(200);
    expect(await stored()).toEqual({
      image: 'a',
      vsoa: { port: '1', password: 'new' },
      env: [{ name: 'ADMIN_PIN', value: '1' }],
    });
    const add = [{ op: 'add', path: '/spec/command', value: ['y'] }];
    expect((await as('writer', 'PATCH', path, add, jsonPatch)).code).toBe(200);
    expect((await stored()).command).toEqual(['y']);
    expect((await as('writer', 'PATCH', path, [{ op: 'remove', path: '/spec/vsoa' }], jsonPatch)).code).toBe(200);
    expect((await stored()).vsoa).toBeUndefined();
  });

  it('applies to what was shown: a JSON patch can neither copy, move nor test a value', async () => {
    const copies = ['copy', 'move'].flatMap((op) =>
      ['/spec/vsoa/password', '/spec/env/0/value', '/spec/command/1'].map((from) => ({
        op,
        from,
        path: '/spec/image',
      })),
    );
    const annotation = `/metadata/annotations/${kubectl.replace('/', '~1')}`;
    const tests = [
      { op: 'test', path: '/spec/vsoa/password', value: secretValue },
      { op: 'test', path: '/spec/env/0/value', value: secretValue },
      { op: 'test', path: '/spec/env/1/value', value: '' },
      { op: 'test', path: '/spec/command', value: spec.command },
      { op: 'test', path: '/spec', value: spec },
      { op: 'test', path: annotation, value: applied },
    ];
    for (const operation of [...copies, ...tests]) {
      const { code, text } = await as('writer', 'PATCH', path, [operation], jsonPatch);
      expect([code, text.includes('4711')], JSON.stringify(operation)).toEqual([422, false]);
      expect((await as('writer', 'PATCH', `${path}/status`, [operation], jsonPatch)).code).toBe(422);
      expect((await as('edit', 'PATCH', `${path}?dryRun=All`, [operation], jsonPatch)).code).toBeLessThan(500);
    }
    expect(await stored()).toEqual(spec);
    const rename = [
      { op: 'test', path: '/spec', value: seen },
      { op: 'copy', from: annotation, path: '/spec/image' },
    ];
    expectHidden(await as('writer', 'PATCH', path, rename, jsonPatch));
    expect(await stored()).toEqual({ ...spec, image: `${JSON.stringify({ spec: seen })}\n` });
  });

  const guesses: readonly [string, string, (guess: string) => unknown, string][] = [
    ['merge patch', 'PATCH', (guess) => ({ spec: { vsoa: { password: guess } } }), mergePatch],
    [
      'merge patch of a list',
      'PATCH',
      (guess) => ({ spec: { env: [{ name: 'ADMIN_PIN', value: guess }] } }),
      mergePatch,
    ],
    ['merge patch of a command', 'PATCH', (guess) => ({ spec: { command: ['run', guess] } }), mergePatch],
    ['JSON patch', 'PATCH', (guess) => [{ op: 'add', path: '/spec/vsoa/password', value: guess }], jsonPatch],
    [
      'PUT',
      'PUT',
      (guess) => ({ ...spec, command: undefined, vsoa: { port: '1', password: guess } }),
      'application/json',
    ],
    [
      'annotation',
      'PATCH',
      (guess) => ({ metadata: { annotations: { [kubectl]: applied.replaceAll(secretValue, guess) } } }),
      mergePatch,
    ],
  ];

  it.each(guesses)('does not tell whether a guess is right: %s', async (_, method, body, type) => {
    const { resourceVersion } = (await as('root', 'GET', path)).body.metadata;
    for (const dryRun of ['?dryRun=All&fieldManager=g', '?fieldManager=g']) {
      const answers: unknown[] = [];
      for (const guess of [secretValue, 'wrong-guess']) {
        const name = `web-${guess.length}${dryRun.length}`;
        await as('root', 'POST', `${place()}?fieldManager=owner`, service(name));
        const read = await as('root', 'GET', `${place()}/${name}`);
        const content = body(guess);
        const sent =
          method === 'PUT'
            ? { ...service(name, content), metadata: { name, resourceVersion: read.body.metadata.resourceVersion } }
            : content;
        const { code, text, body: answer } = await as('writer', method, `${place()}/${name}${dryRun}`, sent, type);
        expect(code, text).toBe(200);
        const { generation, managedFields } = answer.metadata;
        const isNew = answer.metadata.resourceVersion !== read.body.metadata.resourceVersion;
        const fields = fieldsOf(managedFields);
        answers.push({ generation, isNew, fields, spec: answer.spec });
      }
      expect(answers[0]).toEqual(answers[1]);
    }
    expect((await as('root', 'GET', path)).body.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('is refused for the placeholder, and no error repeats a value', async () => {
    for (const name of ['writer', 'edit']) {
      for (const wrong of [{ command: ['<hidden>'] }, { vsoa: { password: '<hidden>' } }, { command: '<hidden>' }]) {
        expect((await as(name, 'PATCH', path, { spec: wrong }, mergePatch)).code).toBe(422);
        expect((await as(name, 'POST', place(), service('x', { image: 'a', ...wrong }))).code).toBe(422);
        expect((await as(name, 'PATCH', `${path}?fieldManager=x&force=true`, service('web', wrong), apply)).code).toBe(
          422,
        );
      }
      for (const wrong of [
        { command: secretValue },
        { vsoa: secretValue },
        { env: secretValue },
        { env: [secretValue] },
      ]) {
        const { code, text } = await as(name, 'PATCH', path, { spec: wrong }, mergePatch);
        expect([code, text.includes('4711')]).toEqual([422, false]);
      }
    }
    expect(await stored()).toEqual(spec);
  });
});

describe('a server-side apply of a user who may not get secrets', () => {
  const config = (content: unknown) => ({
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: { name: 'app' },
    spec: content,
  });
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
  const at = `${place()}/app`;
  const applied2 = (name: string, manager: string, content: unknown, more = '') =>
    as(name, 'PATCH', `${at}?fieldManager=${manager}${more}`, config(content), apply);

  beforeEach(async () => {
    expect((await applied2('edit', 'boss', spec)).code).toBe(201);
  });

  it('keeps values of other managers and its own, and does not own what it leaves out', async () => {
    const mine = { env: [...env, { name: 'MINE', value: 'x' }] };
    expect((await applied2('edit', 'me', mine)).code).toBe(200);
    expectHidden(await applied2('writer', 'me', { env: [{ name: 'MINE' }, { name: 'ADMIN_PIN' }] }));
    expect((await stored('app')).env?.toSorted(byName)).toEqual([...env, { name: 'MINE', value: 'x' }]);
    expectHidden(await applied2('writer', 'third', { env: [{ name: 'ADMIN_PIN' }] }));
    // A co-owner of the value would be a conflict.
    const boss = { ...spec, env: [{ name: 'ADMIN_PIN', value: 'new' }] };
    const forced = await applied2('edit', 'boss', boss);
    expect(forced.body.details?.causes ?? []).not.toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('third') }),
    );
    expectHidden(await applied2('writer', 'me', { env: [{ name: 'ADMIN_PIN' }] }));
    expect((await stored('app')).env?.toSorted(byName)).toEqual(env);
  });

  it('keeps the values of its own file that was read without them', async () => {
    const { body } = await as('writer', 'GET', at);
    expectHidden(await applied2('writer', 'boss', { ...body.spec, image: 'z' }));
    expect(await stored('app')).toEqual({ ...spec, image: 'z' });
  });

  it('does not tell whether a guess is right: it is a conflict, or it is written', async () => {
    for (const [manager, more, code] of [
      ['guesser', '', 409],
      ['guesser', '&dryRun=All', 409],
      ['guesser', '&force=true&dryRun=All', 200],
      ['boss', '&dryRun=All', 200],
    ] as const) {
      const answers: unknown[] = [];
      for (const guess of [secretValue, 'wrong', '']) {
        const tried = { image: 'a', env: [{ name: 'ADMIN_PIN', value: guess }] };
        const { code: answered, text, body } = await applied2('writer', manager, tried, more);
        expect(answered, text).toBe(code);
        expect(text).not.toContain('4711');
        const { generation, managedFields = [] } = body.metadata ?? {};
        const fields = fieldsOf(managedFields);
        answers.push(code === 409 ? body.message : { generation, fields, spec: body.spec });
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    }
    expect(await stored('app')).toEqual(spec);
  });
});
