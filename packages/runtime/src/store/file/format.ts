/** What a file of ours says, and how a value is written into one. */
import { createHash } from 'node:crypto';
import { ApiError } from '../../api/errors.ts';
import { type JsonValue, whyNotJson } from '../../api/json.ts';
import { splitDocuments } from '../../api/manifest/documents.ts';
import { manifestLimits } from '../../api/manifest/limits.ts';
import { readPlainJson } from '../../api/manifest/plain-json.ts';
import { decodeText, positionAt } from '../../api/manifest/text.ts';
import { type Fail, parseYaml, YamlReader } from '../../api/manifest/yaml-reader.ts';
import { deepEqual } from '../../api/merge.ts';
import { limits } from '../contract.ts';
import type { Extension } from './names.ts';
import { rewriteYaml } from './yaml-rewrite.ts';

/** Indentation makes a file larger than its value; beyond this a file is not even read. */
export const fileBytesMax = 4 * limits.commitBytesMax;

/** JSON.stringify leaves these as they are, and a reader of files refuses them as signs of a binary file. */
const rareControlCharacter = /[\u007f-\u009f]/gu;

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** The data in a stored value. Files can only hold JSON, so every other value is refused when it is committed. */
export function parseValue(bytes: Uint8Array): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(strictText.decode(bytes));
  } catch (error) {
    throw new ApiError('BadRequest', { reason: 'a file store holds JSON only, and the value is not JSON' }, error);
  }
  const reason = whyNotJson(value);
  if (reason !== undefined) throw new ApiError('BadRequest', { reason: `the value ${reason}` });
  return value;
}

/** What a person wrote into a file. Throws `Malformed`, with the place, if it is not one document of its format. */
export async function decodeFile(file: string, bytes: Uint8Array, extension: Extension): Promise<JsonValue> {
  const [document, second] = splitDocuments(file, withoutByteOrderMark(bytes), {
    ...manifestLimits,
    documentBytesMax: fileBytesMax,
  });
  if (document === undefined) throw malformedAt(file, '', 1)(0, 'the file is empty');
  const text = decodeText(file, document.bytes, document.firstLine);
  const fail = malformedAt(file, text, document.firstLine);
  if (extension === 'json') checkJson(text, fail);
  if (second !== undefined) throw malformedAt(file, '', second.contentLine)(0, 'only one object may stand in a file');
  return readPlainJson(text) ?? (await readYaml(text, fail));
}

async function readYaml(text: string, fail: Fail): Promise<JsonValue> {
  const yaml = await import('yaml');
  const document = parseYaml(yaml, text, fail);
  return new YamlReader(yaml, fail, limits.commitBytesMax).read(document.contents);
}

/** YAML is more than JSON: a file that calls itself JSON has to be JSON, or other tools could not read it. */
function checkJson(text: string, fail: Fail): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = /at position (\d+)/u.exec(reason)?.[1];
    throw fail(offset === undefined ? text.length : Number(offset), `not JSON: ${reason}`);
  }
}

/** The content for a file. What is in a YAML file already stays as it is where it says the same: order and comments. */
export async function encodeFile(extension: Extension, value: JsonValue, existing?: Uint8Array): Promise<Uint8Array> {
  const text = extension === 'json' ? escaped(JSON.stringify(value, null, 2)) : await encodeYaml(value, existing);
  const bytes = Buffer.from(text);
  if (bytes.length <= fileBytesMax && text.search(rareControlCharacter) === -1) return bytes;
  // Rather a file that is hard to read for people than one that is refused when it is read again. JSON is YAML too.
  return Buffer.from(escaped(JSON.stringify(value)));
}

function escaped(json: string): string {
  return `${json.replace(rareControlCharacter, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`;
}

async function encodeYaml(value: JsonValue, existing: Uint8Array | undefined): Promise<string> {
  const yaml = await import('yaml');
  const fail: Fail = (_, reason) => new Error(reason);
  if (existing !== undefined) {
    // An anchor used in two places, say, cannot be changed in one: then being right goes before being beautiful.
    try {
      const text = rewriteYaml(yaml, strictText.decode(existing), value);
      if (deepEqual(await readYaml(text, fail), value)) return text;
    } catch {}
  }
  return yaml.stringify(value, { lineWidth: 0 });
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function malformedAt(file: string, text: string, firstLine: number): Fail {
  return (offset, reason) => new ApiError('Malformed', { position: positionAt(file, text, offset, firstLine), reason });
}
