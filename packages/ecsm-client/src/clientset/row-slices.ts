/**
 * Finds the rows of a list in the bytes of a response, without parsing them. A row with the same bytes as before has not
 * changed, so that only the others have to be parsed.
 */

export interface RowSlices {
  /** The body with an empty list. */
  readonly envelope: Uint8Array;
  readonly rows: readonly RowSlice[];
}

export interface RowSlice {
  readonly start: number;
  readonly end: number;
  /** Of the bytes: 53 bits. */
  readonly hash: number;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Returns undefined if there is no `data.list` of objects. What it finds may not be JSON: parse the envelope first. */
export function rowSlicesOf(body: Uint8Array): RowSlices | undefined {
  const listStart = startOfList(body);
  if (listStart === undefined) return undefined;
  const rows: RowSlice[] = [];
  for (let at = listStart + 1; at < body.length; ) {
    const byte = body[at] ?? 0;
    if (byte === closeBracket) {
      const envelope = new Uint8Array(listStart + 1 + body.length - at);
      envelope.set(body.subarray(0, listStart + 1));
      envelope.set(body.subarray(at), listStart + 1);
      return { envelope, rows };
    }
    if (byte === openBrace) {
      const row = rowAt(body, at);
      if (row === undefined) return undefined;
      rows.push(row);
      at = row.end;
    } else if (byte === comma || byte <= 0x20) at++;
    else return undefined;
  }
  return undefined;
}

/** The index of the opening bracket of `data.list`. */
function startOfList(body: Uint8Array): number | undefined {
  const keys: string[] = [];
  let depth = 0;
  let text = '';
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfText(body, at);
      // The keys that matter are short.
      text = end - at <= 6 ? String.fromCharCode(...body.subarray(at + 1, end)) : '';
      at = end;
    } else if (byte === colon) keys[depth] = text;
    else if (byte === openBracket && depth === 2 && keys[1] === 'data' && keys[2] === 'list') return at;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return undefined;
}

/** The index of the closing quotation mark. */
function endOfText(body: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

function rowAt(body: Uint8Array, start: number): RowSlice | undefined {
  let [one, other] = [0x811c9dc5, 0x1b873593];
  let depth = 0;
  let isText = false;
  for (let at = start; at < body.length; at++) {
    const byte = body[at] ?? 0;
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b) ^ (other >>> 13);
    if (isText) {
      if (byte === quote) isText = false;
      else if (byte === backslash) {
        // The next byte is part of the text, also if it is a quotation mark.
        at++;
        one = Math.imul(one ^ (body[at] ?? 0), 0x01000193);
        other = Math.imul(other ^ (body[at] ?? 0), 0x85ebca6b) ^ (other >>> 13);
      }
    } else if (byte === quote) isText = true;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === 0) return { start, end: at + 1, hash: (one >>> 0) * 2 ** 21 + (other >>> 11) };
    }
  }
  return undefined;
}
