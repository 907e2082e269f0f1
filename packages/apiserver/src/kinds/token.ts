/**
 * The kind Token: a bearer token of the API server, without its secret. The name of the object is the id in the token.
 * Its user, groups and expiry cannot be changed, and a revocation cannot be undone.
 */
import { defineKind, type FieldError, type Infer, type ObjectOf, schema } from '@ecsm/runtime';

const { list, object, optional, string, withDefault } = schema;

/** In UTC and to the second, so that times can be compared as text. */
const time = (description: string) =>
  string({
    description,
    pattern: {
      expression: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/u,
      hint: 'must be a time in UTC such as 2026-02-03T04:05:06Z',
    },
  });
const name = { minLength: 1, maxLength: 253 };

const specSchema = object({
  user: string({ ...name, description: 'Name of the user.' }),
  groups: withDefault(list(string(name), { maxItems: 64, description: 'Groups of the user.' }), []),
  description: optional(string({ maxLength: 1_024, description: 'What the token is for.' })),
  hash: string({
    description: 'SHA-256 of the secret, in hex.',
    secret: true,
    pattern: { expression: /^[0-9a-f]{64}$/u, hint: 'must be a SHA-256 in hex' },
  }),
  expires: optional(time('When the token expires. Default: never.')),
  revoked: optional(time('When the token was revoked.')),
});

type TokenSpec = Infer<typeof specSchema>;

export const Token = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'Token',
  plural: 'tokens',
  scope: 'Cluster',
  description: 'A bearer token of the API server. Its secret is shown when it is created, and stored as a hash.',
  spec: specSchema,
  validate: ({ spec }, old) => (old ? changeErrors(spec, old.spec) : []),
  columns: [
    { name: 'USER', path: 'spec.user' },
    // Without seconds: tables show a complete time as an age, and this one is in the future.
    { name: 'EXPIRES', value: ({ spec }) => spec.expires?.replace(/:\d\dZ$/u, 'Z') ?? 'never' },
    { name: 'REVOKED', path: 'spec.revoked' },
    { name: 'GROUPS', wide: true, value: ({ spec }) => spec.groups.join(',') },
    { name: 'DESCRIPTION', wide: true, path: 'spec.description' },
  ],
});

export type Token = ObjectOf<typeof Token>;

function changeErrors(spec: TokenSpec, old: TokenSpec): FieldError[] {
  const fixed = ['user', 'hash', 'expires'] as const;
  const changed: string[] = fixed.filter((field) => spec[field] !== old[field]);
  if (spec.groups.join('\0') !== old.groups.join('\0')) changed.push('groups');
  if (old.revoked !== undefined && spec.revoked !== old.revoked) changed.push('revoked');
  return changed.map((field) => ({ path: `spec.${field}`, type: 'Forbidden', message: 'may not be changed' }));
}
