/** Descriptors of messages: which field has which number, name in JSON and type. */

/**
 * - `bytes` are base64 in JSON.
 * - `time` and `microTime` are RFC 3339, to the second and to the microsecond; a zero time is absent.
 * - `intOrString` is the message of that name: a number or a text in JSON.
 * - `json` is a text that holds JSON.
 */
export type ScalarType =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'time'
  | 'microTime'
  | 'intOrString'
  | 'json';

export interface MessageType {
  readonly fields: Readonly<Record<number, MessageField>>;
}

/** A repeated field. */
export interface ListType {
  readonly list: FieldType;
}

/** A map with texts as keys. */
export interface MapType {
  readonly map: FieldType;
}

/** A message that is in JSON only the value of its first field. */
interface WrapperType {
  readonly wrapped: FieldType;
}

export type FieldType = ScalarType | MessageType | ListType | MapType | WrapperType;

/**
 * Go writes zero values unless the field is a pointer, and leaves them out of JSON. `kept` is for fields of which JSON has
 * them too: pointers, such as a grace period of 0 seconds, and those without `omitempty`.
 */
type MessageField = readonly [name: string, type: FieldType, zero?: 'kept'];

export const strings: ListType = { list: 'string' };
export const stringMap: MapType = { map: 'string' };
export const bytesMap: MapType = { map: 'bytes' };
export const quantity: WrapperType = { wrapped: 'string' };
