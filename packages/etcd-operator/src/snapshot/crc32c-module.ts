/**
 * The inner loops of the CRC as a WebAssembly module, which is assembled here. It reads its tables without the checks of bounds
 * that JavaScript has, needs no time to become fast, and takes two parts of the bytes at once: the second one does not wait for
 * the first.
 */

/** Of one table of 256 entries. */
const tableBytes = 1024;
export const tables = 16;
/** Behind the tables of the CRC: what each byte of a register is after `laneBytes` more bytes. */
export const shiftTablesAt = tables * tableBytes;
export const shiftTables = 4;
/** Behind the tables. */
export const dataAt = shiftTablesAt + shiftTables * tableBytes;
/** `pairs` takes two of these at once. */
export const laneBytes = 1024;
/** `words` takes so many at once. */
export const stepBytes = 16;

const pageBytes = 64 * 1024;
export const dataBytesMax = pageBytes - dataAt;

export interface CrcModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** The register after the bytes from `start` to `end` of the memory: one or more times two lanes. */
  readonly pairs: (register: number, start: number, end: number) => number;
  /** The same for one or more steps. */
  readonly words: (register: number, start: number, end: number) => number;
}

/** What is used of it: the types of Node.js do not have it. */
interface Api {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: CrcModule };
}

/** The tables in its memory are empty. */
export function instantiateCrc(): CrcModule {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Api }).WebAssembly;
  return new Instance(new Module(assemble())).exports;
}

type Code = readonly number[];

const int32 = 0x7f;
const end = 0x0b;
const [xor, and, shiftLeft, shiftRight, add, isLess] = [[0x73], [0x71], [0x74], [0x76], [0x6a], [0x49]];
const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, ...signed(value)];
/** Of four bytes, which are aligned only by chance. */
const load = (offset: number): Code => [0x28, 0, ...unsigned(offset)];
/** Repeats the body as long as one local is less than another. */
const repeat = (body: Code, left: number, right: number): Code =>
  [[0x03, 0x40], body, get(left), get(right), isLess, [0x0d, 0, end]].flat();
const increase = (local: number, value: number): Code => [get(local), constant(value), add, set(local)].flat();

/** The locals of both functions: the first three are their parameters. */
const locals = { register: 0, at: 1, end: 2, other: 3, laneEnd: 4, word: 5 } as const;
const parameters = 3;
const words = stepBytes / 4;
const variables = 2 + words;

/** The entry of a byte of a local, in the table at an offset. */
function entry(local: number, byte: number, table: number): Code {
  const index =
    byte === 0
      ? [constant(255), and, constant(2), shiftLeft]
      : [constant(8 * byte - 2), shiftRight, constant(255 << 2), and];
  return [get(local), ...index, load(table)].flat();
}

/** A register takes the step at an offset from `at`. */
function step(register: number, offset: number): Code {
  const code: Code[] = [];
  for (let word = 0; word < words; word++) {
    code.push(get(locals.at), load(offset + 4 * word));
    if (word === 0) code.push(get(register), xor);
    code.push(set(locals.word + word));
  }
  for (let index = 0; index < stepBytes; index++) {
    code.push(entry(locals.word + (index >> 2), index & 3, (stepBytes - 1 - index) * tableBytes));
    if (index > 0) code.push(xor);
  }
  return [...code, set(register)].flat();
}

function wordsBody(): Code {
  const { register, at, end: last } = locals;
  return [repeat([...step(register, 0), ...increase(at, stepBytes)], at, last), get(register)].flat();
}

function pairsBody(): Code {
  const { register, at, end: last, other, laneEnd } = locals;
  const lanes = [step(register, 0), step(other, laneBytes), increase(at, stepBytes)].flat();
  const shifted = Array.from({ length: shiftTables }, (_, byte) => [
    ...entry(register, byte, shiftTablesAt + byte * tableBytes),
    ...xor,
  ]);
  const pair = [
    [constant(0), set(other)],
    [get(at), constant(laneBytes), add, set(laneEnd)],
    [repeat(lanes, at, laneEnd)],
    // The other lane started from 0: it is added to what the register is after as many bytes.
    [get(other), ...shifted, set(register)],
    [increase(at, laneBytes)],
  ].flat(2);
  return [repeat(pair, at, last), get(register)].flat();
}

function assemble(): Uint8Array {
  const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
  const sized = (content: Code): Code => [...unsigned(content.length), ...content];
  const body = (code: Code) => sized([1, variables, int32, ...code, end]);
  const named = (name: string, kind: number, index: number) => [...sized([...Buffer.from(name)]), kind, index];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // One type, and two functions of it.
    ...section(1, [1, 0x60, parameters, int32, int32, int32, 1, int32]),
    ...section(3, [2, 0, 0]),
    // A memory of one page.
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [3, ...named('pairs', 0, 0), ...named('words', 0, 1), ...named('memory', 2, 0)]),
    ...section(10, [2, ...body(pairsBody()), ...body(wordsBody())]),
  ]);
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 with a sign, of a value that is not negative: the sixth bit of the last byte is the sign. */
function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
