/**
 * Reviews: questions to the server about users and permissions, such as `kubectl auth can-i` and `kubectl auth whoami`. A
 * review is created but not stored: the answer is the object with its status.
 */
import { ApiError, type FieldError, isApiError, type JsonObject, shape } from '@ecsm/runtime';
import type { Authorizer, RequestAttributes, User } from './contract.ts';

export interface ReviewContext {
  /** Who asks. */
  readonly user: User;
  readonly authorizer: Authorizer;
  /** Throws `Unauthorized` for an invalid token. */
  readonly userOfToken: (token: string) => Promise<User>;
  /** Of the path; empty for reviews that are not in a namespace. */
  readonly namespace: string;
}

export interface Review {
  readonly group: string;
  readonly version: 'v1';
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The object of the answer. Throws `Invalid` or `BadRequest`. */
  readonly answer: (object: JsonObject, context: ReviewContext) => Promise<JsonObject>;
}

const authorization = { group: 'authorization.k8s.io', version: 'v1' } as const;
const authentication = { group: 'authentication.k8s.io', version: 'v1' } as const;

const text = shape.optional(shape.string());
const texts = shape.optional(shape.list(shape.string()));
const accessSpec = shape.object({
  resourceAttributes: shape.optional(
    shape.nullable(
      shape.object({
        namespace: text,
        verb: text,
        group: text,
        version: text,
        resource: text,
        subresource: text,
        name: text,
      }),
    ),
  ),
  nonResourceAttributes: shape.optional(shape.nullable(shape.object({ path: text, verb: text }))),
  user: text,
  uid: text,
  groups: texts,
  extra: shape.optional(shape.record(shape.list(shape.string()))),
});
type AccessSpec = shape.Shaped<typeof accessSpec>;

export const reviews: readonly Review[] = [
  {
    ...authorization,
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
    namespaced: false,
    async answer(object, { user, authorizer }) {
      const spec = specOf('SelfSubjectAccessReview', accessSpec, object);
      return withStatus(object, await decide(authorizer, user, spec, 'SelfSubjectAccessReview'));
    },
  },
  {
    ...authorization,
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
    namespaced: false,
    async answer(object, { authorizer }) {
      const spec = specOf('SubjectAccessReview', accessSpec, object);
      return withStatus(
        object,
        await decide(authorizer, subjectOf('SubjectAccessReview', spec), spec, 'SubjectAccessReview'),
      );
    },
  },
  {
    ...authorization,
    kind: 'LocalSubjectAccessReview',
    plural: 'localsubjectaccessreviews',
    namespaced: true,
    async answer(object, { authorizer, namespace }) {
      const kind = 'LocalSubjectAccessReview';
      const spec = specOf(kind, accessSpec, object);
      const own = spec.resourceAttributes?.namespace ?? '';
      if (spec.nonResourceAttributes)
        throw invalid(kind, 'spec.nonResourceAttributes', 'disallowed on this kind of request');
      if (own !== '' && own !== namespace) {
        throw invalid(
          kind,
          'spec.resourceAttributes.namespace',
          `must match the namespace of the request, "${namespace}"`,
        );
      }
      const local = { ...spec, resourceAttributes: { ...spec.resourceAttributes, namespace } };
      return withStatus(object, await decide(authorizer, subjectOf(kind, spec), local, kind));
    },
  },
  {
    ...authorization,
    kind: 'SelfSubjectRulesReview',
    plural: 'selfsubjectrulesreviews',
    namespaced: false,
    async answer(object, { user, authorizer }) {
      const { namespace = '' } = specOf('SelfSubjectRulesReview', shape.object({ namespace: text }), object);
      if (namespace === '') throw new ApiError('BadRequest', { reason: 'no namespace on request' });
      const { resourceRules, nonResourceRules } = await authorizer.rulesFor(user, namespace);
      return withStatus(object, { resourceRules, nonResourceRules, incomplete: false });
    },
  },
  {
    ...authentication,
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    namespaced: false,
    answer: async (object, { user }) => withStatus(object, { userInfo: userInfoOf(user) }),
  },
  {
    ...authentication,
    kind: 'TokenReview',
    plural: 'tokenreviews',
    namespaced: false,
    async answer(object, { userOfToken }) {
      const { token = '' } = specOf('TokenReview', shape.object({ token: text }), object);
      if (token === '')
        throw new ApiError('BadRequest', { reason: 'token is required for TokenReview in authentication' });
      // The answer has no token in it, so that it does not end up in logs.
      return withStatus({ ...object, spec: {} }, await statusOfToken(token, userOfToken));
    },
  },
];

async function statusOfToken(token: string, userOf: ReviewContext['userOfToken']): Promise<object> {
  try {
    return { authenticated: true, user: userInfoOf(await userOf(token)) };
  } catch (error) {
    if (!isApiError(error, 'Unauthorized')) throw error;
    return { authenticated: false, error: error.message };
  }
}

async function decide(authorizer: Authorizer, user: User, spec: AccessSpec, kind: string): Promise<object> {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (Boolean(resource) === Boolean(path)) {
    throw invalid(
      kind,
      'spec.resourceAttributes',
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  }
  const attributes: RequestAttributes = {
    user,
    verb: (resource ?? path)?.verb ?? '',
    isResource: Boolean(resource),
    apiGroup: resource?.group ?? '',
    apiVersion: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
    path: path?.path ?? '',
  };
  const { allowed, reason } = authorizer.authorize(attributes);
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function subjectOf(kind: string, { user = '', uid, groups = [], extra }: AccessSpec): User {
  if (user === '' && groups.length === 0)
    throw invalid(kind, 'spec.user', 'at least one of user or group must be specified');
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function userInfoOf({ name, uid, groups, extra }: User): object {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) };
}

function specOf<T>(kind: string, expected: shape.Shape<T>, object: JsonObject): T {
  const spec: unknown = object.spec ?? {};
  const reason = shape.complaint(expected, spec, 'spec');
  if (reason !== undefined) throw new ApiError('BadRequest', { reason: `${kind}: ${reason}` });
  return spec as T;
}

/** The type of the result is that of JSON: a status has nothing else in it. */
function withStatus(object: JsonObject, status: object): JsonObject {
  const { apiVersion = '', kind = '', metadata, spec } = object;
  const named = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return { kind, apiVersion, metadata: named, ...(spec === undefined ? {} : { spec }), status: status as JsonObject };
}

function invalid(kind: string, path: string, message: string): ApiError<'Invalid'> {
  const errors: FieldError[] = [{ path, type: 'Invalid value', message }];
  return new ApiError('Invalid', { kind, name: '', errors });
}
