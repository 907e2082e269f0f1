/**
 * Lists of objects and of versions. The server is asked in pages of bounded size, which are all as of one version; the
 * token that continues a list belongs to that list alone.
 */
import {
  ApiError,
  type ApiObject,
  decodeContinue,
  encodeContinue,
  formatFieldSelector,
  formatLabelSelector,
  isApiError,
  type Kind,
  keyOf,
  type ListOptions,
  type ObjectList,
  type Problem,
  parseFieldSelector,
  parseLabelSelector,
  type Selection,
  shape,
  type VersionOptions,
  type VersionPage,
} from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { isObject, isPartialObject, objectProblem, partialProblem, withKind } from './objects.ts';
import { collectionPath, subjectOf } from './paths.ts';

/** Objects in one response. */
const pageObjects = 500;
/** Objects in one response with metadata only. */
const pageVersions = 1_000;

const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

const { list, nullable, object, optional, string } = shape;
const pageShape = object({
  metadata: object({ resourceVersion: string(), continue: optional(nullable(string())) }),
  items: optional(nullable(list(shape.anything()))),
});

interface Pages {
  readonly path: string;
  readonly accept?: string;
  readonly selectors: Readonly<Record<string, string | undefined>>;
  readonly pageMax: number;
  readonly limit: number | undefined;
  readonly token: string | undefined;
}

interface PageEnd {
  readonly resourceVersion: string;
  readonly continue?: string;
}

export async function listObjects<Spec, Status>(
  client: RestClient,
  kind: Kind<Spec, Status>,
  options: ListOptions,
): Promise<ObjectList<Spec, Status>> {
  const items: ApiObject<Spec, Status>[] = [];
  const problems: Problem[] = [];
  const { limit, continue: token, resourceVersion } = options;
  const isExact = resourceVersion !== undefined && token === undefined;
  const pages: Pages = {
    path: collectionPath(kind, options.namespace),
    selectors: { ...selectorsOf(options), ...(isExact ? { resourceVersion, resourceVersionMatch: 'Exact' } : {}) },
    pageMax: pageObjects,
    limit,
    token,
  };
  const end = await readPages(client, kind, pages, {
    restart() {
      items.length = 0;
      problems.length = 0;
    },
    item(raw) {
      const value = withKind(kind, raw);
      if (isObject<Spec, Status>(kind, value)) items.push(value);
      else problems.push({ key: keyOfItem(kind, value), reason: objectProblem(kind, value) ?? 'invalid' });
    },
  });
  return { items, problems, ...end };
}

/** Only keys and versions are kept of each response. */
export async function listVersions(client: RestClient, kind: Kind, options: VersionOptions): Promise<VersionPage> {
  const { namespace, namePrefix = '', limit, continue: token } = options;
  const keys: string[] = [];
  const versions: string[] = [];
  const identities: string[] = [];
  const pages: Pages = {
    path: collectionPath(kind, namespace),
    accept: partialList,
    selectors: {},
    pageMax: pageVersions,
    limit,
    token,
  };
  const end = await readPages(client, kind, pages, {
    restart() {
      for (const kept of [keys, versions, identities]) kept.length = 0;
    },
    item(value) {
      if (!isPartialObject(value)) throw new ApiError('BadAnswer', { what: pages.path, reason: partialProblem(value) });
      const { metadata } = value;
      if (!metadata.name.startsWith(namePrefix)) return;
      keys.push(keyOf(kind, metadata.namespace ?? '', metadata.name));
      versions.push(metadata.resourceVersion);
      identities.push(metadata.uid);
    },
  });
  return {
    keys,
    version: (index) => versions[index] ?? '',
    identity: (index) => identities[index] ?? '',
    ...end,
  };
}

interface Collector {
  restart(): void;
  item(value: unknown): void;
}

async function readPages(client: RestClient, kind: Kind, pages: Pages, collector: Collector): Promise<PageEnd> {
  const { limit, token } = pages;
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new ApiError('BadRequest', { reason: `the limit of a list has to be a positive whole number, not ${limit}` });
  }
  let next = token === undefined ? undefined : decodeToken(token, pages.path);
  let pageMax: number | undefined = pages.pageMax;
  let resourceVersion: string | undefined;
  for (let count = 0; ; ) {
    const wanted = limit === undefined ? pageMax : Math.min(limit - count, pageMax ?? limit - count);
    let page: shape.Shaped<typeof pageShape>;
    try {
      page = await readPage(client, kind, pages, wanted, next);
    } catch (error) {
      // The history is too short for a list in pages: read it in one response instead.
      const isRestart =
        isApiError(error, 'Expired') && token === undefined && next !== undefined && limit === undefined;
      if (!isRestart) throw error;
      collector.restart();
      [next, pageMax, resourceVersion, count] = [undefined, undefined, undefined, 0];
      continue;
    }
    const { items, metadata } = page;
    resourceVersion ??= metadata.resourceVersion;
    for (const value of items ?? []) collector.item(value);
    count += items?.length ?? 0;
    next = metadata.continue || undefined;
    if (next === undefined) return { resourceVersion };
    if (count === limit) return { resourceVersion, continue: encodeContinue([pages.path, next]) };
  }
}

async function readPage(
  client: RestClient,
  kind: Kind,
  { path, accept, selectors }: Pages,
  limit: number | undefined,
  next: string | undefined,
): Promise<shape.Shaped<typeof pageShape>> {
  const isFirst = next === undefined;
  const { resourceVersion, resourceVersionMatch, ...others } = selectors;
  const query = {
    ...(isFirst ? selectors : others),
    limit: limit === undefined ? undefined : String(limit),
    continue: next,
  };
  const { body } = await client.request({
    method: 'GET',
    path,
    query,
    subject: subjectOf(kind),
    ...(accept === undefined ? {} : { accept }),
  });
  if (isPage(body)) return body;
  throw new ApiError('BadAnswer', { what: `GET ${path}`, reason: shape.complaint(pageShape, body, 'the list') ?? '' });
}

function isPage(value: unknown): value is shape.Shaped<typeof pageShape> {
  return pageShape.check(value) === undefined;
}

/** The parameters of a selection. Throws `BadRequest` for a selector that does not parse. */
export function selectorsOf({ labelSelector, fieldSelector }: Selection): Readonly<Record<string, string | undefined>> {
  const labels = typeof labelSelector === 'string' ? parseLabelSelector(labelSelector) : labelSelector;
  const fields = typeof fieldSelector === 'string' ? parseFieldSelector(fieldSelector) : fieldSelector;
  return {
    labelSelector: labels && (formatLabelSelector(labels) || undefined),
    fieldSelector: fields && (formatFieldSelector(fields) || undefined),
  };
}

function keyOfItem(kind: Kind, value: unknown): string {
  const metadata = shape.isObject(value) && shape.isObject(value['metadata']) ? value['metadata'] : {};
  return keyOf(kind, String(metadata['namespace'] ?? ''), String(metadata['name'] ?? ''));
}

/** A server would accept the token of another kind and continue at a wrong place. */
function decodeToken(token: string, path: string): string {
  return decodeContinue(token, ([of, next]) => (of === path && typeof next === 'string' ? next : undefined));
}
