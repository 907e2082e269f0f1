/** Creates or updates one object: for registries that cannot change several in one commit. */
import { isApiError } from '../api/errors.ts';
import type { ApiObject, ObjectInput } from '../api/object.ts';
import type { ObjectChange, ObjectPlace, Resource } from '../registry/contract.ts';

/** Maximum number of attempts after write conflicts. */
const attemptsMax = 10;

/** Like `changeAll` of a registry with multi-key commits, for one object. */
export async function changeOne<Spec, Status, SpecInput, StatusInput>(
  resource: Resource<Spec, Status, SpecInput, StatusInput>,
  place: ObjectPlace,
  change: ObjectChange<ApiObject<Spec, Status>, ObjectInput<SpecInput, StatusInput>>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const known = await found(resource, place);
      const wanted = change(place, known);
      if (wanted !== undefined) await (known ? resource.update(wanted) : resource.create(wanted));
      return;
    } catch (error) {
      const isConflict = isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists');
      if (!isConflict || attempt === attemptsMax) throw error;
    }
  }
}

async function found<Spec, Status, SpecInput, StatusInput>(
  resource: Resource<Spec, Status, SpecInput, StatusInput>,
  { name, namespace }: ObjectPlace,
): Promise<ApiObject<Spec, Status> | undefined> {
  try {
    return await resource.get(name, { namespace });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
