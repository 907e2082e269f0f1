/** Reads one message by its descriptor, as JSON has it. Fields that the descriptor does not list are skipped. */
import { type JsonObject, type JsonValue, setOwn } from '@ecsm/runtime';
import type { FieldType, ListType, MapType, MessageType, ScalarType } from './message.ts';
import { bytesOf, exactOf, integerOf, jsonOf, textOf, timeOf } from './scalars.ts';
import { fieldsOf, malformed, type WireField } from './wire.ts';

export const readerLimits = {
  /** Messages within messages. Objects have up to 5. */
  depthMax: 16,
  /** Fields in a body, of all messages together, known or not. A list of 100 rules has about 1,000. */
  fieldsMax: 100_000,
} as const;

export class MessageReader {
  #fields = 0;
  #depth = 0;

  /** Throws `BadRequest`. Of a field that occurs several times and is not a list or a map, the last one counts. */
  read({ fields }: MessageType, bytes: Buffer): JsonObject {
    if (++this.#depth > readerLimits.depthMax) throw malformed('it is nested too deeply');
    const result: Record<string, JsonValue> = {};
    const lists = new Map<string, JsonValue[]>();
    const maps = new Map<string, Record<string, JsonValue>>();
    for (const { number, value } of fieldsOf(bytes)) {
      if (++this.#fields > readerLimits.fieldsMax) throw malformed('it has too many fields');
      const [name, type, zero] = fields[number] ?? [];
      if (name === undefined || type === undefined) continue;
      if (isList(type)) {
        result[name] = append(lists, name, this.#value(type.list, name, value) ?? null);
      } else if (isMap(type)) {
        result[name] = this.#entry(maps, name, type.map, value);
      } else {
        const one = this.#value(type, name, value);
        if (one === undefined || (zero !== 'kept' && isZero(one))) delete result[name];
        else result[name] = one;
      }
    }
    this.#depth--;
    return result;
  }

  /** Returns undefined for a value that JSON does not have, such as a zero time. */
  #value(type: FieldType, name: string, value: WireField['value']): JsonValue | undefined {
    if (typeof type === 'string') return this.#scalar(type, name, value);
    const bytes = bytesOf(name, value);
    if ('fields' in type) return this.read(type, bytes);
    if ('wrapped' in type)
      return this.read({ fields: { 1: [name, type.wrapped, 'kept'] } }, bytes)[name] ?? zeroOf(type);
    throw new TypeError(`${name} is a list or a map in a list or a map, which protobuf does not have`);
  }

  #entry(
    maps: Map<string, Record<string, JsonValue>>,
    name: string,
    type: FieldType,
    value: WireField['value'],
  ): JsonObject {
    const known = maps.get(name) ?? {};
    maps.set(name, known);
    const entry = this.read({ fields: { 1: ['key', 'string'], 2: ['value', type, 'kept'] } }, bytesOf(name, value));
    setOwn(known, String(entry.key ?? ''), entry.value ?? zeroOf(type) ?? null);
    return known;
  }

  #scalar(type: ScalarType, name: string, value: WireField['value']): JsonValue | undefined {
    switch (type) {
      case 'bool':
        return integerOf(name, value) !== 0n;
      case 'int32':
        return Number(BigInt.asIntN(32, integerOf(name, value)));
      case 'int64':
        return exactOf(name, BigInt.asIntN(64, integerOf(name, value)));
      case 'string':
        return textOf(bytesOf(name, value));
      case 'bytes':
        return bytesOf(name, value).toString('base64');
      case 'json':
        return jsonOf(name, bytesOf(name, value));
      case 'time':
      case 'microTime':
        return timeOf(type, name, this.read(timestamp, bytesOf(name, value)));
      case 'intOrString': {
        const { isText, number = 0, text = '' } = this.read(intOrString, bytesOf(name, value));
        return isText ? text : number;
      }
    }
  }
}

const timestamp: MessageType = { fields: { 1: ['seconds', 'int64', 'kept'], 2: ['nanos', 'int32', 'kept'] } };
const intOrString: MessageType = { fields: { 1: ['isText', 'bool'], 2: ['number', 'int32'], 3: ['text', 'string'] } };

function isList(type: FieldType): type is ListType {
  return typeof type === 'object' && 'list' in type;
}

function isMap(type: FieldType): type is MapType {
  return typeof type === 'object' && 'map' in type;
}

/** The value of a map's entry, or of a wrapper, that is left out. */
function zeroOf(type: FieldType): JsonValue | undefined {
  if (type === 'string' || type === 'bytes') return '';
  if (typeof type === 'string') return undefined;
  if ('wrapped' in type) return zeroOf(type.wrapped);
  return 'list' in type ? [] : {};
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function append(lists: Map<string, JsonValue[]>, name: string, value: JsonValue): readonly JsonValue[] {
  const known = lists.get(name) ?? [];
  lists.set(name, known);
  known.push(value);
  return known;
}
