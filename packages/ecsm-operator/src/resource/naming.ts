/** Names on the platform: the name of a service, and the possible owners of a name. */

/** Digits of a revision in the name of a service that a rolling update creates. */
const suffix = /^(.+)-[0-9a-f]{8}$/u;
/** What names and namespaces in the registry look like: DNS labels, so without dots. */
const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

const defaultNamespace = 'default';

export interface OwnerKey {
  readonly namespace: string;
  readonly name: string;
}

/** The name of a service on the platform, without a revision. */
export function platformName(namespace: string, name: string): string {
  return namespace === defaultNamespace ? name : `${namespace}.${name}`;
}

/** The name of the service of a new revision. */
export function rolloutName(base: string, hash: string): string {
  return `${base}-${hash}`;
}

/** Whether a name is the base, or the base with a revision. Ownership is decided by the mark. */
export function isNameOf(base: string, candidate: string): boolean {
  return candidate === base || suffix.exec(candidate)?.[1] === base;
}

/**
 * The keys of the possible owners of a name, the most likely first. There may be several: `a-12345678` is the name of a
 * service `a-12345678`, and of a rollout of `a`.
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
  // Names with more dots, or with the default namespace, are not ours.
  const isPossible =
    platformName(key.namespace, key.name) === base && label.test(key.namespace) && label.test(key.name);
  return isPossible ? [key] : [];
}
