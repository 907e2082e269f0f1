/**
 * The calls to Kubernetes that managers need, over any registry. It knows none of the operator's kinds. A missing object
 * is undefined, and a delete of one is done.
 */
import {
  type ApiObject,
  isApiError,
  type JsonValue,
  type Kind,
  type ObjectInput,
  type Precondition,
  type Registry,
  refused,
  type StepResult,
} from '@ecsm/runtime';

/** The owner of the fields that the operator writes. */
const manager = 'etcd-operator';

/**
 * The result of a step that writes objects. Kubernetes refuses it by a quota, by a policy, in a namespace that is being
 * deleted, or because of a value that only it checks.
 */
export async function resultOfWrite(write: () => Promise<void>): Promise<StepResult> {
  try {
    await write();
    return 'done';
  } catch (error) {
    // It is gone already: the next pass sees that.
    if (isApiError(error, 'NotFound')) return 'done';
    const isRefused = isApiError(error, 'Forbidden') || isApiError(error, 'Invalid') || isApiError(error, 'BadRequest');
    if (!isRefused) throw error;
    return refused(error.message);
  }
}

export class KubernetesClient {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async find<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    namespace: string,
    name: string,
  ): Promise<ApiObject<Spec, Status> | undefined> {
    try {
      return await this.#registry.resource(kind).get(name, { namespace });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    namespace: string,
    labelSelector: string,
  ): Promise<readonly ApiObject<Spec, Status>[]> {
    const { items } = await this.#registry.resource(kind).list({ namespace, labelSelector });
    return items;
  }

  /** Creates the object, or takes over the fields that it names. */
  async apply<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    object: ObjectInput<SpecInput, StatusInput>,
  ): Promise<void> {
    await this.#registry.resource(kind).apply(object, { manager, force: true });
  }

  /** Returns false if an object of this name exists already. */
  async create<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    object: ObjectInput<SpecInput, StatusInput>,
  ): Promise<boolean> {
    try {
      await this.#registry.resource(kind).create(object, { manager });
      return true;
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }

  /** Fails with `Conflict` if the object has changed since it was read. */
  async update<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    object: ObjectInput<SpecInput, StatusInput>,
  ): Promise<void> {
    await this.#registry.resource(kind).update(object, { manager });
  }

  async patch<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    namespace: string,
    name: string,
    patch: JsonValue,
    precondition: Precondition,
  ): Promise<void> {
    await this.#registry.resource(kind).patch(name, patch, { namespace, manager, ...precondition });
  }

  /** Only the object with this uid: not another one of the same name. */
  async delete<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    namespace: string,
    name: string,
    uid: string,
  ): Promise<void> {
    try {
      await this.#registry.resource(kind).delete(name, { namespace, uid });
    } catch (error) {
      // Another object has the name now: the one that was meant is gone.
      if (!isApiError(error, 'Conflict')) throw error;
    }
  }
}
