/** `ecsmctl auth can-i VERB TYPE[/NAME]`, evaluated with the roles and bindings in the registry. */
import {
  defaultObjects,
  groups,
  RbacAuthorizer,
  type RequestAttributes,
  readPolicy,
  servedResources,
  type User,
} from '@ecsm/apiserver';
import { type Call, type Run, UsageError } from '@ecsm/command-line';
import { findKind } from '../shared/kinds.ts';
import type { Session } from '../shared/session.ts';
import { flagIfSet } from '../shared/targets.ts';
import { accessKinds, withAccess } from './access-session.ts';

/** Anyone who can open the registry has full access to it. */
const administrator: User = { name: 'admin', groups: [groups.masters, groups.authenticated] };

export const run: Run = async (call) => {
  const { out } = call.terminal;
  const user = userOf(call);
  const target = targetOf(call);
  const { allowed, reason } = await withAccess(call, async (session) => {
    const { registry } = session;
    const policy = await readPolicy(registry, defaultObjects(servedResources(registry.kinds)));
    return new RbacAuthorizer({ policy: () => policy }).authorize(attributesOf(user, target, session));
  });
  out.write(allowed ? 'yes\n' : 'no\n');
  if (reason !== '') call.terminal.detail(reason);
  await out.drained();
  return allowed ? 0 : 1;
};

function userOf(call: Call): User {
  const name = flagIfSet(call, 'as');
  const memberships = call.flags('as-group');
  if (name === undefined) {
    if (memberships.length > 0) throw new UsageError('--as-group requires --as USER');
    return administrator;
  }
  return { name, groups: [...memberships, groups.authenticated] };
}

interface Target extends Omit<RequestAttributes, 'user' | 'namespace'> {
  readonly isNamespaced: boolean;
}

function targetOf(call: Call): Target {
  const [verb = '', what = ''] = call.words;
  const subresource = flagIfSet(call, 'subresource') ?? '';
  const common = { verb: verb.toLowerCase(), apiVersion: '', subresource, path: '' };
  if (what.startsWith('/')) {
    if (subresource !== '') throw new UsageError(`--subresource cannot be used with a path, ${what}`);
    const none = { apiGroup: '', resource: '', name: '', isNamespaced: false };
    return { ...common, ...none, isResource: false, path: what };
  }
  const [word = '', name = '', ...more] = what.split('/');
  if (word === '' || more.length > 0) throw new UsageError(`"${what}" is not TYPE or TYPE/NAME`);
  return { ...common, ...resourceOf(word), isResource: true, name };
}

/** Resources that the operator serves from its observation of the platform; they are not in the registry. */
const views = [
  { resource: 'pods', apiGroup: '', isNamespaced: true },
  { resource: 'nodes', apiGroup: '', isNamespaced: false },
  { resource: 'pods', apiGroup: 'metrics.k8s.io', isNamespaced: true },
  { resource: 'nodes', apiGroup: 'metrics.k8s.io', isNamespaced: false },
];

function resourceOf(word: string): Pick<Target, 'resource' | 'apiGroup' | 'isNamespaced'> {
  if (word === '*') return { resource: '*', apiGroup: '*', isNamespaced: true };
  const view = views.find(
    ({ resource, apiGroup }) => word === (apiGroup === '' ? resource : `${resource}.${apiGroup}`),
  );
  if (view) return view;
  const { plural, group, scope } = findKind({ kinds: accessKinds }, word);
  return { resource: plural, apiGroup: group, isNamespaced: scope === 'Namespaced' };
}

function attributesOf(user: User, target: Target, { namespace, isAllNamespaces }: Session): RequestAttributes {
  const { isNamespaced, ...attributes } = target;
  return { ...attributes, user, namespace: isNamespaced && !isAllNamespaces ? namespace : '' };
}
