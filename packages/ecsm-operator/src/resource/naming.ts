/** Names on the platform: which one a service of ours gets, and whose a name could be. */

/** Digits of a revision in the name of a service that a rolling update makes. */
const suffix = /^(.+)-[0-9a-f]{8}$/u;
/** What names and namespaces in the registry look like: DNS labels, so without dots. */
const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

const defaultNamespace = 'default';

export interface OwnerKey {
  readonly namespace: string;
  readonly name: string;
}

/** The base of every name that the service has on the platform. */
export function platformName(namespace: string, name: string): string {
  return namespace === defaultNamespace ? name : `${namespace}.${name}`;
}

/** The name of the service that a rolling update grows. */
export function rolloutName(base: string, hash: string): string {
  return `${base}-${hash}`;
}

/** Whether a service on the platform is named as ours, or as a rollout of ours. Its mark says whether it is. */
export function isNameOf(base: string, candidate: string): boolean {
  return candidate === base || suffix.exec(candidate)?.[1] === base;
}

/**
 * Which services of a registry could have given that name, likeliest first. It may be several: `a-12345678` is the name
 * of a service called so, and of a rollout of `a`.
 */
export function ownerKeysOf(platformServiceName: string): OwnerKey[] {
  const bases = [platformServiceName, suffix.exec(platformServiceName)?.[1]];
  return bases.flatMap((base) => (base === undefined ? [] : ownerOfBase(base)));
}

/** The bases that a name on the platform may have, in the order of `ownerKeysOf`. */
export function basesOf(platformServiceName: string): string[] {
  return ownerKeysOf(platformServiceName).map(({ namespace, name }) => platformName(namespace, name));
}

function ownerOfBase(base: string): OwnerKey[] {
  const [first = '', second] = base.split('.');
  const key = second === undefined ? { namespace: defaultNamespace, name: first } : { namespace: first, name: second };
  // There may be more dots, and the default namespace is never written out.
  const isPossible =
    platformName(key.namespace, key.name) === base && label.test(key.namespace) && label.test(key.name);
  return isPossible ? [key] : [];
}
