/** The verbs get and list. */
import { ApiError, isApiError, type ListOptions, type Namespaced, type ObjectList } from '@ecsm/runtime';
import { listOptionsOf } from '../request/options.ts';
import { resourceVersionTooLarge } from '../response/http-error.ts';
import type { Answer, AnyObject, Call, Target } from './call.ts';
import { warningsMax } from './input.ts';

export async function get({ target, namespace, name = '', isTransformed, query }: Call): Promise<Answer> {
  const { encoded } = target;
  checkVersion(query.get('resourceVersion') || '0');
  return encoded === undefined || isTransformed
    ? { type: 'object', code: 200, object: await existing(target, namespace, name) }
    : { type: 'text', code: 200, parts: [await encoded.get(name, placeOf(namespace))] };
}

/** Throws `NotFound`. */
export function existing({ resource }: Target, namespace: string | undefined, name: string): Promise<AnyObject> {
  return resource.get(name, placeOf(namespace));
}

function placeOf(namespace: string | undefined): Namespaced {
  return namespace === undefined ? {} : { namespace };
}

export async function list(call: Call): Promise<Answer> {
  const { encoded, resource, kind } = call.target;
  if (encoded === undefined || call.isTransformed) return { type: 'list', list: await listedFrom(call, resource) };
  const { items, ...metadata } = await listedFrom(call, encoded);
  const head = JSON.stringify({ apiVersion: kind.apiVersion, kind: `${kind.kind}List`, metadata });
  return { type: 'text', code: 200, parts: [`${head.slice(0, -1)},"items":[`, ...items, ']}'] };
}

/** The list, with warnings for the first records that cannot be read. */
async function listedFrom<Item>(call: Call, source: ListSource<Item>): Promise<Omit<ItemList<Item>, 'problems'>> {
  const { problems, ...list } = await listedItems(call, source);
  for (const { key, reason } of problems.slice(0, warningsMax)) call.warn(`${key} cannot be read: ${reason}`);
  if (problems.length > warningsMax) call.warn(`${problems.length - warningsMax} more records cannot be read`);
  return list;
}

export function listed(call: Call): Promise<ObjectList<unknown, unknown>> {
  return listedItems(call, call.target.resource);
}

interface ItemList<Item> extends Omit<ObjectList<unknown, unknown>, 'items'> {
  readonly items: readonly Item[];
}

interface ListSource<Item> {
  list(options: ListOptions): Promise<ItemList<Item>>;
}

async function listedItems<Item>(
  { namespace, name, query, registry }: Call,
  source: ListSource<Item>,
): Promise<ItemList<Item>> {
  const wanted = listOptionsOf(query);
  const { resourceVersion, resourceVersionMatch } = wanted;
  const isExact = resourceVersionMatch === 'Exact';
  checkVersion(resourceVersion ?? '0');
  const options: ListOptions = {
    ...(namespace === undefined ? {} : { namespace }),
    ...selectionOf(wanted, name),
    ...(wanted.limit === undefined || wanted.limit === 0 ? {} : { limit: wanted.limit }),
    ...(wanted.continue === undefined ? {} : { continue: wanted.continue }),
    ...(isExact && resourceVersion !== undefined ? { resourceVersion } : {}),
  };
  const found = await source.list(options).catch(async (error: unknown) => {
    const isUnknown = isApiError(error, 'BadRequest') || isApiError(error, 'Expired');
    if (!isExact || !isUnknown || resourceVersion === undefined) throw error;
    const newest = (await source.list({ limit: 1 })).resourceVersion;
    throw registry.isNewer(resourceVersion, newest) ? resourceVersionTooLarge(resourceVersion, newest) : error;
  });
  // A list is always of the newest version, so it is not older than any version that exists.
  if (resourceVersion !== undefined && !isExact && wanted.continue === undefined) {
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
