/**
 * What a user who may not read an object learns about it: nothing. Each request is sent for an object that exists and for
 * one that does not, with names of equal length. Answers, headers and audit records must be the same, and the store must
 * not have been read, so that the time of an answer tells nothing either.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../audit/record.ts';
import { formatRecord } from '../audit/record.ts';
import type { Authenticator } from '../auth/contract.ts';
import { access, rule, user } from '../auth/rbac/rbac.kit.ts';
import { FaultyStore } from './faulty-store.kit.ts';
import { type Reply, type RunningServer, startServer } from './server.kit.ts';

const everything = user('root', 'system:masters');
const users = new Map([
  ['root', everything],
  ['none', user('none')],
  ['named', user('named')],
  ['patcher', user('patcher')],
  ['elsewhere', user('elsewhere')],
  ['reporter', user('reporter')],
  ['deputy', user('deputy')],
]);
/** The user is the text of the header. Without one, the request is anonymous. */
const authenticator: Authenticator = {
  authenticate: async ({ authorization }) => (authorization === undefined ? undefined : users.get(authorization)),
};
const subject = (name: string) => [{ kind: 'User' as const, name }];
const { source } = access({
  clusterRoles: [{ name: 'deputy', rules: [rule('impersonate', 'users', '', 'named')] }],
  clusterRoleBindings: [{ name: 'd', subjects: subject('deputy'), roleRef: { kind: 'ClusterRole', name: 'deputy' } }],
  roles: [
    { name: 'named', namespace: 'here', rules: [rule('*', '*', '*', 'mine')] },
    { name: 'patcher', namespace: 'here', rules: [rule('patch', 'gadgets', 'example.io')] },
    { name: 'all', namespace: 'elsewhere', rules: [rule('*', '*', '*')] },
    { name: 'reporter', namespace: 'here', rules: [rule('*', 'gadgets/status,gadgets/scale', 'example.io')] },
  ],
  roleBindings: [
    { name: 'n', namespace: 'here', subjects: subject('named'), roleRef: { kind: 'Role', name: 'named' } },
    { name: 'p', namespace: 'here', subjects: subject('patcher'), roleRef: { kind: 'Role', name: 'patcher' } },
    { name: 'e', namespace: 'elsewhere', subjects: subject('elsewhere'), roleRef: { kind: 'Role', name: 'all' } },
    { name: 'r', namespace: 'here', subjects: subject('reporter'), roleRef: { kind: 'Role', name: 'reporter' } },
  ],
});

let store: FaultyStore;
let running: RunningServer;
let records: AuditRecord[];
let storeCalls: number;

const groupPath = '/apis/example.io/v1';
const gadgetsIn = (namespace: string) => `${groupPath}/namespaces/${namespace}/gadgets`;
const gadget = (name: string) => ({ apiVersion: 'example.io/v1', kind: 'Gadget', metadata: { name }, spec: {} });

beforeEach(async () => {
  store = new FaultyStore();
  records = [];
  running = await startServer({ store, authenticator, rbac: source, onEnd: (record) => void records.push(record) });
  for (const name of ['here', 'elsewhere']) await as('root', 'POST', '/api/v1/namespaces', { metadata: { name } });
  for (const name of ['here', 'mine']) await as('root', 'POST', gadgetsIn('here'), gadget(name));
  await as('root', 'POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'here' }, value: 1 });
  storeCalls = 0;
  store.faultOf = () => {
    storeCalls++;
    return undefined;
  };
});
afterEach(() => running.close());

function as(name: string | undefined, method: string, path: string, body?: unknown, type?: string): Promise<Reply> {
  const headers = {
    ...(name === undefined ? {} : { Authorization: name }),
    ...(type === undefined ? {} : { 'Content-Type': type }),
  };
  return running.call(method, path, body, headers);
}

type Request = readonly [
  method: string,
  path: (name: string) => string,
  body?: (name: string) => unknown,
  type?: string,
];

const object = (name: string) => `${gadgetsIn('here')}/${name}`;
const priority = (name: string) => `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`;
const requests: readonly Request[] = [
  ['GET', object],
  ['HEAD', object],
  ['GET', (name) => `${object(name)}/status`],
  ['GET', (name) => `${object(name)}/scale`],
  ['GET', (name) => `${object(name)}?resourceVersion=1`],
  ['GET', (name) => `${gadgetsIn('here')}?fieldSelector=metadata.name%3D${name}`],
  ['GET', (name) => `${gadgetsIn('here')}?watch=1&fieldSelector=metadata.name%3D${name}`],
  ['POST', () => gadgetsIn('here'), gadget],
  ['PUT', object, gadget],
  ['PUT', (name) => `${object(name)}/status`, gadget],
  ['PATCH', object, gadget],
  ['PATCH', object, () => [{ op: 'test', path: '/spec/replicas', value: 1 }], 'application/json-patch+json'],
  ['PATCH', object, gadget, 'application/apply-patch+yaml'],
  ['PATCH', (name) => `${object(name)}/scale`, () => ({ spec: { replicas: 2 } })],
  ['DELETE', object],
  ['DELETE', (name) => `${gadgetsIn('here')}?fieldSelector=metadata.name%3D${name}`],
  // Namespaces, and objects in those that exist or not.
  ['GET', (name) => `/api/v1/namespaces/${name}`],
  ['DELETE', (name) => `/api/v1/namespaces/${name}`],
  ['GET', (name) => gadgetsIn(name)],
  ['GET', (name) => `${gadgetsIn(name)}/other`],
  ['POST', (name) => gadgetsIn(name), () => gadget('mine')],
  ['DELETE', (name) => gadgetsIn(name)],
  ['GET', priority],
  ['PATCH', priority, () => ({ value: 2 })],
  ['DELETE', priority],
  // Resources that are served or not.
  ['GET', (name) => `${groupPath}/namespaces/here/${name === 'here' ? 'gadgets' : 'gizmoes'}/x`],
];

/** Without what is different for every request, and with the name of the request replaced. */
function comparable({ code, headers, text }: Reply, record: AuditRecord | undefined, name: string): unknown {
  const { date: _, 'audit-id': __, ...others } = headers;
  const fixed = record && { ...record, receivedMs: 0, durationMs: 0, auditId: '' };
  const line = fixed && formatRecord(fixed, String);
  const unnamed = (value: string) =>
    value.replaceAll(/\bgizmoes\b/g, 'gadgets').replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'NAME');
  return {
    code,
    headers: others,
    text: unnamed(text).replaceAll('here', 'NAME'),
    line: unnamed(line ?? '').replaceAll('here', 'NAME'),
  };
}

describe.each([
  ['without credentials', undefined, 401],
  ['without any role', 'none', 403],
  ['with a role for another object only', 'named', 403],
  ['with a role in another namespace only', 'elsewhere', 403],
] as const)('a user %s', (_, name, code) => {
  it.each(requests.map((request) => [`${request[0]} ${request[1]('NAME')}`, request] as const))(
    `gets the same ${code} for an object that exists and one that does not: %s`,
    async (_, [method, path, body, type]) => {
      const answers: unknown[] = [];
      for (const target of ['here', 'gone']) {
        records.length = 0;
        const reply = await as(name, method, path(target), body?.(target), type);
        expect(reply.code).toBe(code);
        await expect.poll(() => records.length).toBe(1);
        answers.push(comparable(reply, records[0], target));
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(storeCalls).toBe(0);
    },
  );
});

it('reads the store for a user who may: the requests above are real ones', async () => {
  expect((await as('root', 'GET', object('here'))).code).toBe(200);
  expect((await as('root', 'GET', object('gone'))).code).toBe(404);
  expect((await as('named', 'GET', object('mine'))).code).toBe(200);
  expect(storeCalls).toBeGreaterThan(0);
});

describe('a user who may do everything in one namespace', () => {
  const nested = '/api/v1/namespaces/elsewhere/namespaces';

  it.each([
    ['GET', nested],
    ['GET', `${nested}?watch=1&timeoutSeconds=1`],
    ['GET', `${nested}/here`],
    ['POST', nested, { metadata: { name: 'new' } }],
    ['PATCH', `${nested}/here`, { metadata: { labels: { a: 'b' } } }],
    ['DELETE', nested],
    ['DELETE', `${nested}/here`],
  ])('reaches no other namespace through its own: %s %s', async (method, path, body?: object) => {
    expect((await as('elsewhere', method, path, body)).code).toBe(404);
    expect((await as('root', 'GET', '/api/v1/namespaces')).body.items).toMatchObject([
      { metadata: { name: 'elsewhere' } },
      { metadata: { name: 'here', generation: 1 } },
    ]);
  });
});

describe('a review of everything', () => {
  const spec = { user: 'root', token: 'x', resourceAttributes: { verb: 'get', resource: 'secrets' } };

  it.each([
    ['authorization.k8s.io', 'subjectaccessreviews'],
    ['authentication.k8s.io', 'tokenreviews'],
  ])('is not answered to a user who may do everything in one namespace: %s/%s', async (group, plural) => {
    const review = (who: string, place: string) => as(who, 'POST', `/apis/${group}/v1/${place}`, { spec });
    expect((await review('elsewhere', plural)).code).toBe(403);
    expect((await review('elsewhere', `namespaces/elsewhere/${plural}`)).code).toBe(404);
    expect((await review('root', `${plural}/name`)).code).toBe(404);
    expect((await review('root', plural)).code).not.toBe(404);
  });
});

it('does not delete an object for a user who may do everything with its subresources only', async () => {
  expect((await as('reporter', 'DELETE', object('here'))).code).toBe(403);
  for (const subresource of ['status', 'scale']) {
    expect((await as('reporter', 'DELETE', `${object('here')}/${subresource}`)).code).toBe(405);
  }
  expect((await as('root', 'GET', object('here'))).code).toBe(200);
});

describe('a server-side apply by a user who may patch and not create', () => {
  const apply = (name: string, more: object = {}) =>
    as(
      'patcher',
      'PATCH',
      `${object(name)}?fieldManager=p&force=true`,
      { ...gadget(name), ...more },
      'application/apply-patch+yaml',
    );

  it('changes an object that exists', async () => {
    expect(await apply('here', { spec: { replicas: 3 } })).toMatchObject({
      code: 200,
      body: { spec: { replicas: 3 } },
    });
  });

  it.each([
    ['no uid', {}],
    ['a uid', { metadata: { name: 'gone', uid: 'x' } }],
    ['a uid of null', { metadata: { name: 'gone', uid: null } }],
  ])('creates none with %s', async (_, more) => {
    expect(await apply('gone', more)).toMatchObject({
      code: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringContaining('User "patcher" cannot create resource "gadgets"'),
      },
    });
    expect((await as('root', 'GET', object('gone'))).code).toBe(404);
  });

  it('creates none either if the object is deleted meanwhile', async () => {
    let reads = 0;
    const key = 'example.io/v1/gadgets/here/here';
    const get = store.get.bind(store);
    store.get = async (...request) => {
      const found = await get(...request);
      if (request[0] === key && ++reads === 1) await store.commit([{ type: 'delete', key }]);
      return found;
    };
    expect(await apply('here')).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect((await as('root', 'GET', object('here'))).code).toBe(404);
  });
});

describe('impersonation', () => {
  const request = (who: string, headers: Readonly<Record<string, string>>) =>
    running.call('GET', `${gadgetsIn('here')}/mine`, undefined, { Authorization: who, ...headers });

  it('answers as it would the other user', async () => {
    expect((await request('root', { 'impersonate-user': 'named' })).code).toBe(200);
    expect((await request('root', { 'impersonate-user': 'none' })).code).toBe(403);
    expect(records.at(-1)).toMatchObject({ user: { name: 'root' }, impersonatedUser: { name: 'none' } });
  });

  it('needs the permission to impersonate, for the user and for every group', async () => {
    const reply = await request('named', { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' });
    expect(reply.code).toBe(403);
    expect(reply.text).toContain('impersonate');
    await expect
      .poll(() => records.at(-1))
      .toMatchObject({
        code: 403,
        user: { name: 'named' },
        impersonatedUser: { name: 'root', groups: expect.arrayContaining(['system:masters']) },
      });
  });

  it.each([
    { 'impersonate-group': 'system:masters' },
    { 'impersonate-uid': '1' },
    { 'impersonate-extra-scope': 'all' },
  ])('of a user who may be impersonated is refused with %o', async (headers) => {
    expect((await request('deputy', { 'impersonate-user': 'named' })).code).toBe(200);
    const reply = await request('deputy', { 'impersonate-user': 'named', ...headers });
    expect(reply.code).toBe(403);
    expect(reply.text).toContain('cannot impersonate resource');
  });

  it('reads names in UTF-8, as clients send them', async () => {
    const latin1 = (name: string) => Buffer.from(name).toString('latin1');
    await request('root', { 'impersonate-user': latin1('josé'), 'impersonate-group': latin1('开发') });
    const groups = ['开发', 'system:authenticated'];
    await expect.poll(() => records.at(-1)).toMatchObject({ impersonatedUser: { name: 'josé', groups } });
    expect((await request('root', { 'impersonate-user': 'jos\xe9' })).code).toBe(400);
  });

  it('is refused with an extra key that is not encoded correctly', async () => {
    expect((await request('root', { 'impersonate-user': 'none', 'impersonate-extra-%zz': 'x' })).code).toBe(400);
  });

  it('is refused without a user', async () => {
    expect((await request('root', { 'impersonate-group': 'system:masters' })).code).toBe(400);
  });
});
