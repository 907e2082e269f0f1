/** Messages of k8s.io/api for reviews, which are answered and not stored. Their status is written by the server only. */
import { type MessageType, strings } from './message.ts';
import { object, selectorAttributes, withSpec } from './meta.ts';

const resourceAttributes: MessageType = {
  fields: {
    1: ['namespace', 'string'],
    2: ['verb', 'string'],
    3: ['group', 'string'],
    4: ['version', 'string'],
    5: ['resource', 'string'],
    6: ['subresource', 'string'],
    7: ['name', 'string'],
    8: ['fieldSelector', selectorAttributes],
    9: ['labelSelector', selectorAttributes],
  },
};

const access: MessageType = {
  fields: {
    1: ['resourceAttributes', resourceAttributes],
    2: ['nonResourceAttributes', { fields: { 1: ['path', 'string'], 2: ['verb', 'string'] } }],
  },
};

const accessOfSubject: MessageType = {
  fields: {
    ...access.fields,
    3: ['user', 'string'],
    4: ['groups', strings],
    5: ['extra', { map: { wrapped: strings } }],
    6: ['uid', 'string'],
  },
};

const tokenRequest: MessageType = {
  fields: {
    1: ['audiences', strings],
    3: [
      'boundObjectRef',
      { fields: { 1: ['kind', 'string'], 2: ['apiVersion', 'string'], 3: ['name', 'string'], 4: ['uid', 'string'] } },
    ],
    4: ['expirationSeconds', 'int64', 'kept'],
  },
};

/** By apiVersion and kind. */
export const reviewMessages: readonly (readonly [apiVersionAndKind: string, message: MessageType])[] = [
  ['authorization.k8s.io/v1 SelfSubjectAccessReview', withSpec(access)],
  ['authorization.k8s.io/v1 SubjectAccessReview', withSpec(accessOfSubject)],
  ['authorization.k8s.io/v1 LocalSubjectAccessReview', withSpec(accessOfSubject)],
  ['authorization.k8s.io/v1 SelfSubjectRulesReview', withSpec({ fields: { 1: ['namespace', 'string'] } })],
  ['authentication.k8s.io/v1 SelfSubjectReview', object({})],
  ['authentication.k8s.io/v1 TokenReview', withSpec({ fields: { 1: ['token', 'string'], 2: ['audiences', strings] } })],
  ['authentication.k8s.io/v1 TokenRequest', withSpec(tokenRequest)],
];
