/**
 * The hash that identifies a revision. It is part of names and marks on the platform, so it has to stay the same when only
 * the notation changes: the order of fields, or an explicit default. Defaults are omitted rather than filled in: a field
 * that gets a default in a later version of the product must not roll out every service.
 */
import { Buffer } from 'node:buffer';
import type { Schema } from '@ecsm/runtime';
import { ECSMService, type ServiceTemplate } from '../apis/ecsm-service.ts';
import { imageRefOf, pullPolicyOf } from './image-source.ts';

interface RevisionSource {
  readonly template: ServiceTemplate;
  /** The annotation `ecsm.sh/restartedAt`: another value results in another revision of the same template. */
  readonly restartedAt?: string | undefined;
}

/** 8 hexadecimal digits. */
export function revisionHash({ template, restartedAt }: RevisionSource): string {
  const spelledOut = { ...template, image: imageRefOf(template), imagePullPolicy: pullPolicyOf(template) };
  const essence = essenceOf(ECSMService.spec.properties['template'], spelledOut);
  const restart = restartedAt === undefined ? '' : `"restartedAt":${JSON.stringify(restartedAt)},`;
  return hash32(`{${restart}"template":${essence}}`).toString(16).padStart(8, '0');
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

/**
 * The canonical JSON of the value without the fields that equal their default. Every reconcile computes it, so the text is
 * made in one pass over the fields.
 */
function essenceOf(schema: Schema | undefined, value: unknown): string {
  if (schema?.type === 'list' && Array.isArray(value)) {
    return `[${value.map((item) => essenceOf(schema.items, item)).join(',')}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  if (schema?.type !== 'object' || !isFields(value)) return canonicalJson(value);
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field === undefined) continue;
    const property = schema.properties[name];
    const text = essenceOf(property, field);
    if (property?.presence === 'defaulted' && text === defaultOf(property)) continue;
    fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

const defaults = new WeakMap<Schema, string>();

function defaultOf(schema: Schema): string {
  const known = defaults.get(schema);
  if (known !== undefined) return known;
  const text = canonicalJson(schema.default);
  defaults.set(schema, text);
  return text;
}

/** FNV-1a over the UTF-8 bytes, then the finalizer of MurmurHash3: without it similar texts have similar first digits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
