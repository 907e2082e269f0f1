/** The one shape of every object: what somebody wants (`spec`) and what was last seen of it (`status`). */
import type { JsonObject } from './json.ts';
import type { Metadata, ObjectMetadataInput } from './metadata.ts';

/** An object in the registry. It is data: readonly, and shared freely. */
export type ApiObject<Spec = JsonObject, Status = JsonObject> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: Status;
};

/** An object as a writer gives it: defaults, identity and history are not there yet. */
export type ObjectInput<SpecInput = JsonObject, StatusInput = JsonObject> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadataInput;
  readonly spec: SpecInput;
  readonly status?: StatusInput;
};

/** An object with its defaults, before the registry has given it an identity. */
export type DefaultedObject<Spec = JsonObject, Status = JsonObject> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadataInput & { readonly namespace: string };
  readonly spec: Spec;
  readonly status?: Status;
};
