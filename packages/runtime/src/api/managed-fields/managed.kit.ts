/** A kind and an object with managers, for the tests of this folder. */
import type { JsonObject, JsonValue } from '../json.ts';
import { metadataSchema } from '../metadata.ts';
import { anything, integer, list, map, object, optional, string, withDefault } from '../schema/build.ts';
import { type ApplyRequest, apply } from './apply.ts';
import type { ManagedFieldsEntry } from './entries.ts';
import { trackUpdate } from './update.ts';

const variable = object({ name: string(), value: withDefault(string(), ''), secret: optional(string()) });

export const schema = object({
  apiVersion: string(),
  kind: string(),
  metadata: metadataSchema,
  spec: object({
    replicas: optional(integer()),
    image: optional(string()),
    command: optional(list(string())),
    needs: optional(list(object({ name: string(), onLost: withDefault(string(), 'Ignore') }))),
    env: optional(list(variable, { uniqueBy: 'name' })),
    nodePool: optional(list(string(), { uniqueItems: true })),
    limits: optional(map(string())),
    health: optional(object({ path: optional(string()), periodSeconds: optional(integer()) })),
    volumes: optional(map(object({ path: optional(string()), mode: optional(integer()) }))),
    platform: optional(anything()),
  }),
  status: optional(
    object({
      replicas: optional(integer()),
      conditions: optional(list(object({ type: string(), status: string() }), { uniqueBy: 'type' })),
    }),
  ),
});

export const apiVersion = 'ecsm.sh/v1';

/** An object of the kind with this spec, and more metadata if given. */
export function example(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: 'Service', metadata: { name: 'web', namespace: 'default', ...metadata }, spec };
}

/** Entries as text, without their times: `[manager, operation, fieldsV1]`, with the subresource if there is one. */
type Ownership = readonly [string, string, JsonValue, string?];

/** One object and its managers. Each write happens a minute after the one before. */
export class Managed {
  live: JsonObject | undefined;
  managedFields: readonly ManagedFieldsEntry[] = [];
  #minute = 0;

  constructor(live?: JsonObject) {
    this.live = live;
  }

  apply(manager: string, configuration: JsonObject, options: Partial<ApplyRequest> = {}): this {
    const { live, managedFields } = this;
    const request = { schema, apiVersion, live, managedFields, configuration, manager, timestamp: this.#now() };
    const result = apply({ ...request, ...options });
    this.live = result.object;
    this.managedFields = result.managedFields;
    return this;
  }

  update(manager: string, after: JsonObject, options: { readonly subresource?: string } = {}): this {
    const { live: before, managedFields } = this;
    const timestamp = this.#now();
    this.managedFields = trackUpdate({
      schema,
      apiVersion,
      before,
      after,
      managedFields,
      manager,
      timestamp,
      ...options,
    });
    this.live = after;
    return this;
  }

  get owners(): Ownership[] {
    return this.managedFields.map(({ manager = '', operation = '', fieldsV1 = null, subresource }) =>
      subresource === undefined ? [manager, operation, fieldsV1] : [manager, operation, fieldsV1, subresource],
    );
  }

  times(): Record<string, string | undefined> {
    return Object.fromEntries(this.managedFields.map(({ manager, time }) => [manager, time]));
  }

  #now(): string {
    return `2026-03-01T00:${String(this.#minute++).padStart(2, '0')}:00Z`;
  }
}
