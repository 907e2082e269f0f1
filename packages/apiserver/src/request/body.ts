/** Decodes the body of a request. What a number or a key would silently lose is reported. */
import { ApiError, isPlainObject, JSON_DEPTH_MAX, readManifests, readPlainJson } from '@ecsm/runtime';
import { decodeProtobuf, protobufMediaType } from '../protobuf/decode.ts';
import { unsupportedMediaType } from '../response/http-error.ts';
import { duplicateKeys } from './duplicate-keys.ts';

interface DecodedBody {
  readonly value: unknown;
  /** The paths of duplicate keys, such as `spec.replicas`; the last value counts. Bounded. */
  readonly duplicates: readonly string[];
}

interface DecodeOptions {
  /** Refuse YAML, whatever the content type. Default false. */
  readonly strictJson?: boolean;
  /** The content types that the endpoint accepts. Default `objectMediaTypes`. */
  readonly accepts?: readonly string[];
}

const yamlMediaType = 'application/yaml';
const objectMediaTypes: readonly string[] = ['application/json', yamlMediaType, protobufMediaType];

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/** The patch types that a kind accepts: strategic merge is for the kinds of Kubernetes itself only. */
export function patchTypeOf(contentType: string | undefined, options: { readonly strategic: boolean }): PatchType {
  const type = patchTypes.get(mediaTypeOf(contentType));
  if (type !== undefined && (type !== 'strategic' || options.strategic)) return type;
  const accepted = [...patchTypes].filter(([, known]) => known !== 'strategic' || options.strategic);
  throw unsupportedMediaType(accepted.map(([mediaType]) => mediaType));
}

export const patchMediaTypes: readonly string[] = [...patchTypes.keys()];

/**
 * Throws BadRequest or Malformed for a body that cannot be read exactly: invalid syntax or UTF-8, integers beyond 2^53,
 * deep nesting. Throws an UnsupportedMediaType HttpError for other content types, and for protobuf of an object that has
 * no known message. A missing content type means JSON.
 */
export async function decodeBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  { strictJson = false, accepts = objectMediaTypes }: DecodeOptions = {},
): Promise<DecodedBody> {
  const accepted = strictJson ? accepts.filter((type) => !isYaml(type)) : accepts;
  const mediaType = contentType === undefined ? 'application/json' : mediaTypeOf(contentType);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  if (bytes.length === 0) throw new ApiError('BadRequest', { reason: 'the body of the request is empty' });
  if (mediaType === protobufMediaType) return { value: decodeProtobuf(bytes), duplicates: [] };
  return isYaml(mediaType) ? decodeYaml(bytes) : decodeJson(bytes);
}

/** `application/json; charset=utf-8` is `application/json`. */
function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1).join('').trim().toLowerCase();
}

function isYaml(mediaType: string): boolean {
  return mediaType === yamlMediaType || mediaType.endsWith('+yaml');
}

/** A line of YAML has about 8 tokens, each of which takes a few microseconds on the thread that answers all requests. */
const yamlLexemesMax = 100_000;

async function decodeYaml(bytes: Uint8Array): Promise<DecodedBody> {
  const limits = { lexemesMax: yamlLexemesMax };
  const [manifest, ...others] = await readManifests(bytes, { file: 'body', limits });
  if (manifest === undefined || others.length > 0) {
    throw new ApiError('BadRequest', { reason: 'the body of the request must be one YAML document' });
  }
  return { value: manifest.object, duplicates: [] };
}

function decodeJson(bytes: Uint8Array): DecodedBody {
  const text = decodeText(bytes);
  const exact = readPlainJson(text);
  if (exact !== undefined) return { value: exact, duplicates: [] };
  const value = parse(text);
  const problem = lossProblem(value, 1);
  if (problem !== undefined) throw new ApiError('BadRequest', { reason: `the body of the request ${problem}` });
  return { value, duplicates: duplicateKeys(text) };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('BadRequest', { reason: 'the body of the request is not valid UTF-8' });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of the engine quotes a part of the body, which may hold a secret.
    const where = /at position (\d+)/u.exec(error instanceof Error ? error.message : '');
    const position = where === null ? '' : ` at character ${Number(where[1]) + 1}`;
    throw new ApiError('BadRequest', { reason: `the body of the request is not valid JSON${position}` });
  }
}

function lossProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isExact ? undefined : 'has a number beyond ±(2^53 - 1), which cannot be stored exactly';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
  for (const part of isPlainObject(value) || Array.isArray(value) ? Object.values(value) : []) {
    const problem = lossProblem(part, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
