/** One API request on a resource, parsed and authorized, and what a verb answers. */
import type { ApiObject, Clock, EncodedResource, Kind, Registry, Resource } from '@ecsm/runtime';

export type AnyObject = ApiObject<unknown, unknown>;
export type AnyResource = Resource<unknown, unknown, unknown, unknown>;

/** Where the objects of a kind come from. Resources that are views of another system have no writes. */
export interface Target {
  readonly kind: Kind;
  readonly resource: Pick<AnyResource, 'get' | 'list' | 'watch'> & Partial<AnyResource>;
  /** Only of this namespace: elsewhere the kind is that of the registry. Lists of all namespaces omit its objects. */
  readonly namespace?: string;
  /** The same objects as text, if the registry has them. */
  readonly encoded?: EncodedResource | undefined;
  /** Why a subresource that Kubernetes has does not exist here, for an answer that says more than 404. */
  readonly missingSubresource?: (name: string) => string | undefined;
}

export interface Call {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly target: Target;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  /** Whether objects are sent in another form than they are stored: as a Table, or without their secrets. */
  readonly isTransformed: boolean;
  /** Whether the user may not see the secrets of the objects: they read and write objects without them. */
  readonly hidesSecrets: boolean;
  /** Of a write. */
  readonly body: RequestBody;
  /** Without `fieldManager`: the program that the user agent names. */
  readonly defaultManager: string;
  /**
   * Throws `Forbidden` if the user may not store this object, although they may write the kind. With `isPart`, the fields
   * that it leaves out are those of the stored object, if there is one.
   */
  admit(object: Json, isPart?: boolean): Promise<void>;
  /** Throws `Forbidden` if the user may not create this object, although they may patch it: an apply can do both. */
  checkCreate(): Promise<void>;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  readonly signal: AbortSignal;
}

export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/** The result of a verb, before the representation is chosen. */
export type Answer =
  | { readonly type: 'object'; readonly code: number; readonly object: AnyObject }
  | { readonly type: 'list'; readonly list: ListAnswer }
  /** JSON of an object, or of a list with its items, in parts: a long list is never one string. Bytes are UTF-8. */
  | { readonly type: 'text'; readonly code: number; readonly parts: readonly (string | Uint8Array)[] }
  /** Of another kind than the resource: a Status or a Scale. */
  | { readonly type: 'other'; readonly code: number; readonly object: object };

/** The answer with an object that a write has returned. What was stored is not encoded a second time. */
export function writtenAnswer({ target, isTransformed }: Call, code: number, object: AnyObject): Answer {
  const text = isTransformed ? undefined : target.encoded?.written(object);
  return text === undefined ? { type: 'object', code, object } : { type: 'text', code, parts: [text] };
}

export type Json = Readonly<Record<string, unknown>>;

interface ListAnswer {
  readonly items: readonly AnyObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
}
