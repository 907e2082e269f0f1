/**
 * Objects for users who may not read the Secrets of a namespace: without the values that the schema of their kind marks
 * as secret. Who may see them is decided once for each request and namespace, as the permission for the request itself.
 */
import { type Kind, secretPaths, withoutSecrets } from '@ecsm/runtime';
import type { RequestAttributes, User } from '../auth/contract.ts';
import { Secret } from '../kinds/core.ts';
import type { Answer, AnyObject } from '../verbs/call.ts';

/** The request that shows whether a user may see the secrets of objects in a namespace; empty: in all of them. */
export function secretsRequest(user: User, namespace: string): RequestAttributes {
  const what = { apiGroup: Secret.group, apiVersion: Secret.version, resource: Secret.plural, subresource: '' };
  return { user, verb: 'get', isResource: true, ...what, namespace, name: '', path: '' };
}

/** Copies for watches. All watches without secrets send the same copy, so that it is encoded once. */
const sharedCopies = new WeakMap<object, AnyObject>();

export class HiddenSecrets {
  readonly #kind: Kind;
  readonly #maySee: (namespace: string) => boolean;
  readonly #decisions = new Map<string, boolean>();

  /** Undefined if nothing is hidden: no object of the request has secrets that the user may not see. */
  static of(
    kind: Kind,
    namespace: string | undefined,
    maySee: (namespace: string) => boolean,
  ): HiddenSecrets | undefined {
    // Secrets have permissions of their own.
    const isSecret = kind.group === Secret.group && kind.plural === Secret.plural;
    if (isSecret || secretPaths(kind).length === 0 || maySee(namespace ?? '')) return undefined;
    return new HiddenSecrets(kind, maySee);
  }

  private constructor(kind: Kind, maySee: (namespace: string) => boolean) {
    this.#kind = kind;
    this.#maySee = maySee;
  }

  get warning(): string {
    return `hidden, because you may not get secrets: ${secretPaths(this.#kind).join(', ')}`;
  }

  /** The object as the user may see it: the same one if nothing in it is hidden. */
  shown(object: AnyObject, isShared = false): AnyObject {
    // A cluster-scoped object has no namespace, contrary to its type.
    const namespace: string | undefined = object.metadata.namespace;
    if (this.#isVisible(namespace ?? '')) return object;
    if (!isShared) return withoutSecrets(this.#kind, object);
    let copy = sharedCopies.get(object);
    if (copy === undefined) {
      copy = withoutSecrets(this.#kind, object);
      sharedCopies.set(object, copy);
    }
    return copy;
  }

  /** Calls `warn` if something in the answer is hidden. */
  answer<Shown extends Answer>(answer: Shown, warn: (text: string) => void): Shown {
    let isHidden = false;
    const show = (object: AnyObject) => {
      const shown = this.shown(object);
      isHidden ||= shown !== object;
      return shown;
    };
    const shown =
      answer.type === 'object'
        ? { ...answer, object: show(answer.object) }
        : answer.type === 'list'
          ? { ...answer, list: { ...answer.list, items: answer.list.items.map(show) } }
          : answer;
    if (isHidden) warn(this.warning);
    return shown;
  }

  #isVisible(namespace: string): boolean {
    let known = this.#decisions.get(namespace);
    if (known === undefined) {
      known = this.#maySee(namespace);
      this.#decisions.set(namespace, known);
    }
    return known;
  }
}
