/** The objects of a bucket, page by page (ListObjectsV2). */
import { timeMsOf } from '@ecsm/runtime';
import type { StoredObject } from '../contract.ts';
import { StorageError } from '../error.ts';
import type { Requests } from './requests.ts';
import { childrenOf, parseXml, rawTextOf, textOf } from './xml.ts';

interface Page {
  readonly objects: readonly StoredObject[];
  /** Undefined at the end. */
  readonly next: string | undefined;
}

/** Keys are those in the bucket. */
export async function* listing(
  requests: Requests,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  for (let pages = 0; pages < requests.limits.pagesMax; pages++) {
    const page: Page = await pageAt(requests, prefix, token, signal);
    yield* page.objects;
    if (page.next === undefined) return;
    if (page.next === token) throw new StorageError('Other', `${requests.address.label}: the list does not end`);
    token = page.next;
  }
  throw new StorageError('Other', `${requests.address.label}: over ${requests.limits.pagesMax} pages: use a path`);
}

function pageAt(
  requests: Requests,
  prefix: string,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Page> {
  const query = {
    'list-type': '2',
    'max-keys': String(requests.limits.pageKeysMax),
    prefix,
    ...(token === undefined ? {} : { 'continuation-token': token }),
  };
  return requests.run({ method: 'GET', query, action: 's3:ListBucket', signal }, async (reply) => {
    if (reply.isRefused) throw reply.error;
    const page = parsePage(await reply.answer.text(), prefix);
    if (!page)
      throw new StorageError('Other', `${requests.address.label}: the answer to a list is not one: check the endpoint`);
    return page;
  });
}

/** Returns undefined if it is not a list. Objects without a size or another prefix are not ours to judge: they are skipped. */
export function parsePage(text: string, prefix: string): Page | undefined {
  const root = parseXml(text);
  if (root?.name !== 'ListBucketResult') return undefined;
  const objects = childrenOf(root, 'Contents').flatMap((entry): StoredObject[] => {
    const key = rawTextOf(entry, 'Key');
    const size = textOf(entry, 'Size');
    if (!key.startsWith(prefix) || !/^\d+$/.test(size)) return [];
    return [{ key, sizeBytes: Number(size), modifiedAtMs: timeMsOf(textOf(entry, 'LastModified')) ?? 0 }];
  });
  const next = textOf(root, 'NextContinuationToken');
  return { objects, next: textOf(root, 'IsTruncated') === 'true' && next !== '' ? next : undefined };
}
