/** Serves reviews: questions about users and permissions, which are answered and not stored. */
import type { JsonObject } from '@ecsm/runtime';
import type { Authenticator, Authorizer, User } from '../auth/contract.ts';
import { type Review, reviews } from '../auth/reviews.ts';
import type { ServedResource } from '../discovery/served.ts';
import { decodeBody } from '../request/body.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import { unauthorized } from '../response/http-error.ts';
import type { RequestBody } from '../verbs/call.ts';
import { badRequest, isObject } from '../verbs/input.ts';

interface ReviewsOptions {
  /** Default: everything is allowed. */
  readonly authorizer: Authorizer | undefined;
  readonly authenticator: Authenticator | undefined;
}

/** For discovery and OpenAPI. */
export const servedReviews: readonly ServedResource[] = reviews.map(({ group, version, kind, plural, namespaced }) => ({
  kind: {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    description: 'A question to the server, which is answered and not stored.',
    scope: namespaced ? 'Namespaced' : 'Cluster',
    jsonSchema: () => ({ type: 'object', properties: { spec: {}, status: {} } }),
  },
  verbs: ['create'],
  subresources: [],
}));

const allowAll: Authorizer = {
  authorize: () => ({ allowed: true, reason: '' }),
  rulesFor: async () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  }),
};

export class Reviews {
  readonly #options: ReviewsOptions;

  constructor(options: ReviewsOptions) {
    this.#options = options;
  }

  /**
   * Whether the request creates a review. One that is in no namespace is not found in a namespace either: a role there must
   * not answer questions about everything.
   */
  has(request: ResourceRequest): boolean {
    const { verb, name, namespace } = request;
    const isInNamespace = namespace !== undefined;
    return verb === 'create' && name === undefined && reviewOf(request)?.namespaced === isInNamespace;
  }

  async answer(request: ResourceRequest, user: User, { bytes, contentType }: RequestBody): Promise<JsonObject> {
    const review = reviewOf(request);
    if (review === undefined) throw badRequest('not a review');
    const { value } = await decodeBody(bytes, contentType);
    if (!isObject(value)) throw badRequest(`the request body is not a ${review.kind}`);
    const { authorizer = allowAll, authenticator } = this.#options;
    return review.answer(value as JsonObject, {
      user,
      authorizer,
      namespace: request.namespace ?? '',
      userOfToken: async (token) => {
        const credentials = { authorization: `Bearer ${token}`, peerCertificate: undefined };
        const found = await authenticator?.authenticate(credentials);
        if (found === undefined) throw unauthorized();
        return found;
      },
    });
  }
}

function reviewOf({ group, version, resource }: ResourceRequest): Review | undefined {
  return reviews.find((one) => one.group === group && one.version === version && one.plural === resource);
}
