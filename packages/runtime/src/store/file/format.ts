/** Decodes and encodes the files of objects. */
import { createHash } from 'node:crypto';
import { ApiError } from '../../api/errors.ts';
import { type JsonValue, jsonProblem } from '../../api/json.ts';
import { splitDocuments } from '../../api/manifest/documents.ts';
import { manifestLimits } from '../../api/manifest/limits.ts';
import { readPlainJson } from '../../api/manifest/plain-json.ts';
import { decodeText, positionAt } from '../../api/manifest/text.ts';
import { type Fail, parseYaml, YamlReader } from '../../api/manifest/yaml-reader.ts';
import { deepEqual } from '../../api/merge.ts';
import { limits } from '../contract.ts';
import type { Extension } from './names.ts';
import { rewriteYaml } from './yaml-rewrite.ts';

/** Larger files are not read. Indentation makes a file larger than its value. */
export const fileBytesMax = 4 * limits.commitBytesMax;

/** JSON.stringify does not escape these, and decoding a file refuses them as signs of a binary file. */
const rareControlCharacter = /[\u007f-\u009f]/gu;

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Parses a stored value. Files hold only JSON, so any other value is refused when it is committed. */
export function parseValue(bytes: Uint8Array): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(strictText.decode(bytes));
  } catch (error) {
    throw new ApiError('BadRequest', { reason: 'a file store accepts only JSON: the value is not JSON' }, error);
  }
  const reason = jsonProblem(value);
  if (reason !== undefined) throw new ApiError('BadRequest', { reason: `the value ${reason}` });
  return value;
}

/** Parses the content of a file. Throws `Malformed`, with the position, if it is not one document of its format. */
export async function decodeFile(file: string, bytes: Uint8Array, extension: Extension): Promise<JsonValue> {
  const [document, second] = splitDocuments(file, withoutByteOrderMark(bytes), {
    ...manifestLimits,
    documentBytesMax: fileBytesMax,
  });
  if (document === undefined) throw malformedAt(file, '', 1)(0, 'the file is empty');
  const text = decodeText(file, document.bytes, document.firstLine);
  const fail = malformedAt(file, text, document.firstLine);
  if (extension === 'json') checkJson(text, fail);
  if (second !== undefined) throw malformedAt(file, '', second.contentLine)(0, 'a file may contain only one object');
  return readPlainJson(text) ?? (await readYaml(text, fail));
}

async function readYaml(text: string, fail: Fail): Promise<JsonValue> {
  const yaml = await import('yaml');
  const document = parseYaml(yaml, text, fail);
  return new YamlReader(yaml, fail, limits.commitBytesMax).read(document.contents);
}

/** YAML is a superset of JSON: a `.json` file has to be JSON, or other tools could not read it. */
function checkJson(text: string, fail: Fail): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = /at position (\d+)/u.exec(reason)?.[1];
    throw fail(offset === undefined ? text.length : Number(offset), `not JSON: ${reason}`);
  }
}

/** Encodes a value for a file. Order and comments of an existing YAML file are kept where the data is unchanged. */
export async function encodeFile(extension: Extension, value: JsonValue, existing?: Uint8Array): Promise<Uint8Array> {
  const text = extension === 'json' ? escaped(JSON.stringify(value, null, 2)) : await encodeYaml(value, existing);
  const bytes = Buffer.from(text);
  if (bytes.length <= fileBytesMax && text.search(rareControlCharacter) === -1) return bytes;
  // Compact JSON, which is also YAML, because the formatted text would be refused when it is read again.
  return Buffer.from(escaped(JSON.stringify(value)));
}

function escaped(json: string): string {
  return `${json.replace(rareControlCharacter, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`;
}

async function encodeYaml(value: JsonValue, existing: Uint8Array | undefined): Promise<string> {
  const yaml = await import('yaml');
  const fail: Fail = (_, reason) => new Error(reason);
  if (existing !== undefined) {
    // An anchor used in two places, for example, cannot be changed in one: then the file is written from scratch.
    try {
      const text = rewriteYaml(yaml, strictText.decode(existing), value);
      if (deepEqual(await readYaml(text, fail), value)) return text;
    } catch {}
  }
  const text = yaml.stringify(value, { lineWidth: 0 });
  // The library loses the spaces of a string of blank lines, and merge keys (`<<`) are refused: JSON is also YAML.
  const readBack = await readYaml(text, fail).catch(() => undefined);
  return readBack !== undefined && deepEqual(readBack, value) ? text : escaped(JSON.stringify(value, null, 2));
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function malformedAt(file: string, text: string, firstLine: number): Fail {
  return (offset, reason) => new ApiError('Malformed', { position: positionAt(file, text, offset, firstLine), reason });
}
