/**
 * Impersonation: a request of one user on behalf of another, with Kubernetes' headers, as `kubectl --as` sends them. It
 * needs the verb `impersonate` on every user, group, uid and extra value that is named. A request with these headers is
 * never answered as if it had none.
 */
import type { IncomingMessage } from 'node:http';
import { anonymous, groups, type RequestAttributes, type User } from '../auth/contract.ts';
import { forbidden } from '../auth/rbac/authorizer.ts';
import { HttpError } from '../response/http-error.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';
const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/u;

/** Whether a request has such headers. */
export function isImpersonation({ headers }: IncomingMessage): boolean {
  for (const name in headers) if (name.startsWith(prefix)) return true;
  return false;
}

interface Impersonation {
  /** The user on whose behalf the request is. */
  readonly target: User;
  /** Throws `Forbidden`, unless the sender may act as that user in all named groups. */
  check(sender: User, allows: (attributes: RequestAttributes) => boolean): void;
}

/** Reads such headers. Throws 400 for headers without a user or not in UTF-8. */
export function impersonationOf({ headersDistinct: headers }: IncomingMessage): Impersonation {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix));
  const valuesOf = (header: string) => headers[header]?.map((value) => textOf(header, value)) ?? [];
  const [name = ''] = valuesOf('impersonate-user');
  if (name === '') {
    const message = `the headers ${names.join(', ')} need the header Impersonate-User`;
    throw new HttpError(400, 'BadRequest', message);
  }
  const wanted = valuesOf('impersonate-group');
  const [uid] = valuesOf('impersonate-uid');
  const extra = Object.fromEntries(
    names.filter((header) => header.startsWith(extraPrefix)).map((header) => [keyOf(header), valuesOf(header)]),
  );
  const account = serviceAccount.exec(name);
  const target = {
    name,
    groups: [...groupsOf(name, account?.[1], wanted)],
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  const needed: Partial<RequestAttributes>[] = [
    account
      ? { resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' }
      : { resource: 'users', name },
    ...wanted.map((group) => ({ resource: 'groups', name: group })),
    ...(uid === undefined ? [] : [{ resource: 'uids', name: uid, apiGroup: authentication }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({ resource: 'userextras', subresource: key, name: value, apiGroup: authentication })),
    ),
  ];
  return {
    target,
    check(sender, allows) {
      for (const one of needed.map((parts) => attributes(sender, parts))) if (!allows(one)) throw forbidden(one);
    },
  };
}

const authentication = 'authentication.k8s.io';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Clients send UTF-8, of which Node.js makes one character for each byte. */
function textOf(header: string, value: string): string {
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new HttpError(400, 'BadRequest', `the header ${header} is not valid UTF-8`);
  }
}

/** The key is percent-encoded in the name of its header. */
function keyOf(header: string): string {
  try {
    return decodeURIComponent(header.slice(extraPrefix.length));
  } catch {
    throw new HttpError(400, 'BadRequest', `the name of the header ${header} is not encoded correctly`);
  }
}

/** As Kubernetes adds them: every user except the anonymous one is authenticated. */
function groupsOf(name: string, namespace: string | undefined, wanted: readonly string[]): ReadonlySet<string> {
  if (name === anonymous.name) return new Set([...wanted, groups.unauthenticated]);
  const own =
    namespace === undefined || wanted.length > 0
      ? []
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return new Set([...wanted, ...own, groups.authenticated]);
}

function attributes(
  user: User,
  { apiGroup = '', resource = '', subresource = '', namespace = '', name = '' }: Partial<RequestAttributes>,
): RequestAttributes {
  return {
    user,
    verb: 'impersonate',
    isResource: true,
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource,
    namespace,
    name,
    path: '',
  };
}
