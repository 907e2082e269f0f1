/** The verbs get and list. */
import { ApiError, isApiError, type ListOptions, type ObjectList } from '@ecsm/runtime';
import { listOptionsOf } from '../request/options.ts';
import { resourceVersionTooLarge } from '../response/http-error.ts';
import type { Answer, AnyObject, Call, Target } from './call.ts';

export async function get({ target, namespace, name = '' }: Call): Promise<Answer> {
  return { type: 'object', code: 200, object: await existing(target, namespace, name) };
}

/** Throws `NotFound`. */
export function existing({ resource }: Target, namespace: string | undefined, name: string): Promise<AnyObject> {
  return resource.get(name, namespace === undefined ? {} : { namespace });
}

export async function list(call: Call): Promise<Answer> {
  const { items, resourceVersion, continue: token, problems } = await listed(call);
  for (const { key, reason } of problems) call.warn(`${key} cannot be read: ${reason}`);
  return { type: 'list', list: { items, resourceVersion, ...(token === undefined ? {} : { continue: token }) } };
}

export async function listed({
  target,
  namespace,
  name,
  query,
  registry,
}: Call): Promise<ObjectList<unknown, unknown>> {
  const wanted = listOptionsOf(query);
  const { resourceVersion, resourceVersionMatch } = wanted;
  const isExact = resourceVersionMatch === 'Exact';
  const options: ListOptions = {
    ...(namespace === undefined ? {} : { namespace }),
    ...selectionOf(wanted, name),
    ...(wanted.limit === undefined || wanted.limit === 0 ? {} : { limit: wanted.limit }),
    ...(wanted.continue === undefined ? {} : { continue: wanted.continue }),
    ...(isExact && resourceVersion !== undefined ? { resourceVersion } : {}),
  };
  const found = await target.resource.list(options).catch((error: unknown) => {
    throw isExact && isApiError(error, 'BadRequest')
      ? resourceVersionTooLarge(resourceVersion ?? '', 'unknown')
      : error;
  });
  // A list is always of the newest version, so it is not older than any version that exists.
  if (resourceVersion !== undefined && /^\d+$/.test(resourceVersion) && !isExact && wanted.continue === undefined) {
    if (registry.isNewer(resourceVersion, found.resourceVersion))
      throw resourceVersionTooLarge(resourceVersion, found.resourceVersion);
  }
  return found;
}

export function selectionOf(
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  name?: string,
): Pick<ListOptions, 'labelSelector' | 'fieldSelector'> {
  const fields = [fieldSelector, name === undefined ? undefined : `metadata.name=${name}`].filter(
    (one) => one !== undefined && one !== '',
  );
  return {
    ...(labelSelector === undefined || labelSelector === '' ? {} : { labelSelector }),
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(',') }),
  };
}

/** Throws `BadRequest`. */
export function checkVersion(resourceVersion: string): void {
  if (!/^\d{1,20}$/.test(resourceVersion)) {
    throw new ApiError('BadRequest', { reason: `Invalid value: "${resourceVersion}": resourceVersion` });
  }
}
