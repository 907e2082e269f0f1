/** Objects reduced to their metadata, for clients that need no more: `PartialObjectMetadata` and its list. */
import type { ApiObject, Metadata } from '@ecsm/runtime';

export interface PartialObjectMetadata {
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly kind: 'PartialObjectMetadata';
  readonly metadata: Metadata;
}

/** The metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface ListOf<Item> extends ListMetadata {
  readonly items: readonly Item[];
}

interface PartialObjectMetadataList {
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly kind: 'PartialObjectMetadataList';
  readonly metadata: ListMetadata;
  readonly items: readonly PartialObjectMetadata[];
}

type WithMetadata = Pick<ApiObject<unknown, unknown>, 'metadata'>;

export const partialType = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' } as const;

export function partialOf({ metadata }: WithMetadata): PartialObjectMetadata {
  return { ...partialType, metadata };
}

export function partialListOf(list: ListOf<WithMetadata>): PartialObjectMetadataList {
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadataList',
    metadata: listMetadata(list),
    items: list.items.map(partialOf),
  };
}

/** `metadata` of a list of any kind. An absent or empty `continue` means that this is the last page. */
export function listMetadata({ resourceVersion, continue: token, remainingItemCount }: ListMetadata): ListMetadata {
  return {
    resourceVersion,
    ...(token !== undefined && token !== '' && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
