import { ApiError, isApiError, type JsonObject } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from './contract.ts';
import { access, rule, user } from './rbac/rbac.kit.ts';
import { type ReviewContext, reviews } from './reviews.ts';

const { authorizer } = access({
  roles: [{ name: 'r', namespace: 'a', rules: [rule('get', 'pods')] }],
  roleBindings: [
    { name: 'b', namespace: 'a', subjects: [{ kind: 'User', name: 'jane' }], roleRef: { kind: 'Role', name: 'r' } },
    { name: 'd', namespace: 'a', subjects: [{ kind: 'Group', name: 'dev' }], roleRef: { kind: 'Role', name: 'r' } },
  ],
});
const jane = user('jane', 'team');

async function ask(kind: string, spec: JsonObject | undefined, more: Partial<ReviewContext> = {}) {
  const review = reviews.find((one) => one.kind === kind);
  if (!review) throw new Error(`no review ${kind}`);
  const object = { apiVersion: `${review.group}/v1`, kind, ...(spec === undefined ? {} : { spec }) };
  return review.answer(object, {
    user: jane,
    namespace: '',
    authorizer,
    userOfToken: async (token) => {
      if (token === 'good') return jane;
      throw new ApiError('Unauthorized', { reason: 'the bearer token is invalid' });
    },
    ...more,
  });
}
const pods = (namespace: string, verb = 'get') => ({ resourceAttributes: { namespace, verb, resource: 'pods' } });

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'answered',
    (reason: unknown) => reason,
  );
  if (isApiError(error)) return `${error.code}: ${error.message}`;
  throw error;
}

describe('SelfSubjectAccessReview', () => {
  it('says what the asking user may do, and why', async () => {
    expect(await ask('SelfSubjectAccessReview', pods('a'))).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: pods('a'),
      status: { allowed: true, reason: 'RBAC: allowed by RoleBinding "b/a" of Role "r" to User "jane"' },
    });
    expect((await ask('SelfSubjectAccessReview', pods('b'))).status).toEqual({ allowed: false });
    expect((await ask('SelfSubjectAccessReview', pods(''))).status).toEqual({ allowed: false });
    const path = { nonResourceAttributes: { path: '/version', verb: 'get' } };
    expect((await ask('SelfSubjectAccessReview', path)).status).toMatchObject({ allowed: true });
  });

  it('ignores another user in the spec', async () => {
    const spec = { ...pods('b'), user: 'mia', groups: ['system:masters'] };
    expect((await ask('SelfSubjectAccessReview', spec)).status).toEqual({ allowed: false });
  });

  it.each([
    [undefined],
    [{}],
    [{ resourceAttributes: null }],
    [{ ...pods('a'), nonResourceAttributes: { path: '/', verb: 'get' } }],
  ])('needs either a resource or a path: %j', async (spec) => {
    expect(await codeOf(ask('SelfSubjectAccessReview', spec))).toMatch(/^Invalid: .*exactly one of/);
  });

  it.each([[{ resourceAttributes: [] }], [{ resourceAttributes: { verb: 7 } }], [{ groups: 'x' }]])(
    'rejects %j',
    async (spec) => {
      expect(await codeOf(ask('SelfSubjectAccessReview', spec))).toMatch(
        /^BadRequest: SelfSubjectAccessReview: spec\./,
      );
    },
  );
});

describe('a review', () => {
  it('is asked in a namespace only if it is a LocalSubjectAccessReview', () => {
    expect(reviews.filter(({ namespaced }) => namespaced).map(({ kind }) => kind)).toEqual([
      'LocalSubjectAccessReview',
    ]);
  });

  it('asks the authorizer about exactly what is in it', async () => {
    const asked: RequestAttributes[] = [];
    const recording = {
      ...authorizer,
      authorize: (request: RequestAttributes) => {
        asked.push(request);
        return { allowed: false, reason: '' };
      },
    } as unknown as typeof authorizer;
    const who = { user: 'bob', uid: 'u', groups: ['dev'], extra: { a: ['b'] } };
    const what = { verb: 'get', group: 'g', version: 'v', resource: 'r', subresource: 's', namespace: 'n', name: 'x' };
    const more = { authorizer: recording };
    await ask('SubjectAccessReview', { ...who, resourceAttributes: what }, more);
    await ask('SubjectAccessReview', { user: 'bob', nonResourceAttributes: { verb: 'post', path: '/x' } }, more);
    const { user: name, ...subject } = who;
    const { group, version, ...same } = what;
    const none = { apiGroup: '', apiVersion: '', resource: '', subresource: '', namespace: '', name: '' };
    expect(asked).toEqual([
      { ...same, apiGroup: group, apiVersion: version, isResource: true, path: '', user: { name, ...subject } },
      { ...none, verb: 'post', isResource: false, path: '/x', user: { name: 'bob', groups: [] } },
    ]);
  });

  it('fails if the authenticator does, instead of calling a token invalid', async () => {
    const userOfToken = async () => {
      throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    };
    expect(await codeOf(ask('TokenReview', { token: 'good' }, { userOfToken }))).toContain('Unavailable');
  });
});

describe('SubjectAccessReview', () => {
  it('says what another user or group may do', async () => {
    const allowed = async (subject: JsonObject) =>
      (await ask('SubjectAccessReview', { ...pods('a'), ...subject })).status;
    expect(await allowed({ user: 'jane' })).toMatchObject({ allowed: true });
    expect(await allowed({ user: 'bob' })).toEqual({ allowed: false });
    expect(await allowed({ user: 'bob', groups: ['dev'] })).toMatchObject({ allowed: true });
    expect(await allowed({ groups: ['system:masters'] })).toEqual({ allowed: true });
    expect(await codeOf(ask('SubjectAccessReview', pods('a')))).toContain('at least one of user or group');
  });
});

describe('LocalSubjectAccessReview', () => {
  const local = (spec: JsonObject) => ask('LocalSubjectAccessReview', { user: 'jane', ...spec }, { namespace: 'a' });

  it('asks about its own namespace', async () => {
    expect((await local(pods('a'))).status).toMatchObject({ allowed: true });
    expect((await local({ resourceAttributes: { verb: 'get', resource: 'pods' } })).status).toMatchObject({
      allowed: true,
    });
    expect(await codeOf(local(pods('b')))).toMatch(/^Invalid: .*must match the namespace/);
    expect(await codeOf(local({ nonResourceAttributes: { path: '/', verb: 'get' } }))).toContain('disallowed');
  });
});

describe('SelfSubjectRulesReview', () => {
  it('lists the rules in a namespace', async () => {
    const { status } = await ask('SelfSubjectRulesReview', { namespace: 'a' });
    expect(status).toMatchObject({ incomplete: false });
    expect(JSON.stringify(status)).toContain('{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}');
    expect(await codeOf(ask('SelfSubjectRulesReview', {}))).toBe('BadRequest: no namespace on request');
  });
});

describe('SelfSubjectReview', () => {
  it('says who asks', async () => {
    const who = { ...jane, uid: 'u', extra: { a: ['b'] } };
    expect((await ask('SelfSubjectReview', undefined, { user: who })).status).toEqual({
      userInfo: { username: 'jane', uid: 'u', groups: ['team', 'system:authenticated'], extra: { a: ['b'] } },
    });
  });
});

describe('TokenReview', () => {
  it('says whose token it is, without the token', async () => {
    const answer = await ask('TokenReview', { token: 'good' });
    expect(answer.status).toEqual({ authenticated: true, user: { username: 'jane', groups: jane.groups } });
    expect(JSON.stringify(answer)).not.toContain('good');
  });

  it('says that a token is invalid', async () => {
    expect((await ask('TokenReview', { token: 'bad' })).status).toEqual({
      authenticated: false,
      error: 'the bearer token is invalid',
    });
    expect(await codeOf(ask('TokenReview', {}))).toContain('token is required');
  });
});
