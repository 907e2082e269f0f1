/** Converts bytes to text, and offsets to the lines and columns that an editor shows. */
import { isUtf8 } from 'node:buffer';
import { ApiError, type Position } from '../errors.ts';

/** All Unicode control characters except white space and line ends. */
const controlCharacter = /[^\P{Cc}\t\n\r\u0085]/u;

/** Decodes UTF-8 without control characters. Throws Malformed with the position of the first invalid byte. */
export function decodeText(file: string, bytes: Uint8Array, firstLine: number): string {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16) throw malformed({ file, line: firstLine, column: 1 }, 'the file is UTF-16: save it as UTF-8');
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    const position = positionAt(file, decode(bytes.subarray(0, offset)), offset, firstLine);
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, '0');
    throw malformed(position, `byte 0x${byte} is not UTF-8: save the file as UTF-8`);
  }
  const text = decode(bytes);
  const offset = text.search(controlCharacter);
  if (offset !== -1) {
    const code = text.charCodeAt(offset);
    const name = code === 0 ? 'NUL byte' : `control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    throw malformed(positionAt(file, text, offset, firstLine), `${name}: the file is not plain UTF-8 text`);
  }
  return text;
}

/** The position of an offset. Columns count UTF-16 units, as most editors do. */
export function positionAt(file: string, text: string, offset: number, firstLine: number): Position {
  let line = firstLine;
  let lineStart = 0;
  const end = Math.min(offset, text.length);
  for (let newline = text.indexOf('\n'); newline !== -1 && newline < end; newline = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = newline + 1;
  }
  return { file, line, column: end - lineStart + 1 };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Called only for bytes that are not UTF-8, so speed does not matter. */
function firstInvalidByte(bytes: Uint8Array): number {
  let offset = 0;
  while (offset < bytes.length) {
    const lead = bytes[offset] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const end = offset + length;
    if (end > bytes.length || !isUtf8(bytes.subarray(offset, end))) return offset;
    offset = end;
  }
  return offset;
}

function malformed(position: Position, reason: string): ApiError {
  return new ApiError('Malformed', { position, reason });
}
