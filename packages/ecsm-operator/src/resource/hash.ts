/**
 * The hash that identifies a revision. It is part of names and marks on the platform, so it has to stay the same when only
 * the notation changes: the order of fields, or an explicit default. Defaults are omitted rather than filled in: a field
 * that gets a default in a later version of the product must not roll out every service.
 */
import type { Schema } from '@ecsm/runtime';
import { ECSMService, type ServiceTemplate } from '../apis/ecsm-service.ts';
import { imageRefOf, pullPolicyOf } from './image-source.ts';

export interface RevisionSource {
  readonly template: ServiceTemplate;
  /** The annotation `ecsm.sh/restartedAt`: another value results in another revision of the same template. */
  readonly restartedAt?: string | undefined;
}

/** 8 hexadecimal digits. */
export function revisionHash({ template, restartedAt }: RevisionSource): string {
  const spelledOut = { ...template, image: imageRefOf(template), imagePullPolicy: pullPolicyOf(template) };
  const schema = ECSMService.spec.properties['template'];
  const essence = schema === undefined ? spelledOut : withoutDefaults(schema, spelledOut);
  return hash32(canonicalJson({ template: essence, restartedAt }))
    .toString(16)
    .padStart(8, '0');
}

/** JSON with sorted fields, without undefined ones. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isFields(part) ? sorted(part) : part)) ?? 'null';
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The value without the fields that equal their default. */
function withoutDefaults(schema: Schema, value: unknown): unknown {
  if (schema.type === 'list' && Array.isArray(value)) return value.map((item) => withoutDefaults(schema.items, item));
  if (schema.type !== 'object' || !isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const property = schema.properties[name];
      if (property === undefined) return [[name, field]];
      const essence = withoutDefaults(property, field);
      return property.presence === 'defaulted' && isEqual(essence, property.default) ? [] : [[name, essence]];
    }),
  );
}

/** Most fields are scalars, which need not be written as JSON to be compared. */
function isEqual(value: unknown, other: unknown): boolean {
  if (typeof value !== 'object' || typeof other !== 'object') return value === other;
  return canonicalJson(value) === canonicalJson(other);
}

/** FNV-1a over the UTF-8 bytes, then the finalizer of MurmurHash3: without it similar texts have similar first digits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
