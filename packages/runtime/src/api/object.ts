/** The shape of every object: the desired state (`spec`) and the last observed state (`status`). */
import type { JsonObject } from './json.ts';
import type { Metadata, ObjectMetadataInput } from './metadata.ts';

/** An object in the registry. It is immutable and can be shared. */
export type ApiObject<Spec = JsonObject, Status = JsonObject> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: Status;
};

/** An object as a client writes it, without defaults and without the fields that the registry sets. */
export type ObjectInput<SpecInput = JsonObject, StatusInput = JsonObject> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadataInput;
  readonly spec: SpecInput;
  readonly status?: StatusInput;
};

/** An object with defaults, but without the fields that the registry sets. */
export type DefaultedObject<Spec = JsonObject, Status = JsonObject> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadataInput & { readonly namespace: string };
  readonly spec: Spec;
  readonly status?: Status;
};
