/**
 * Bytes of JSON that are parsed at most once. A simulation stores these: its processes read the same versions many times,
 * and parsing would be the largest part of a run. The value is shared and therefore frozen.
 */
const decoder = new TextDecoder('utf-8', { fatal: true });

export class ParsedBytes extends Uint8Array {
  #json: { readonly value: unknown } | undefined;

  /** Throws if this is not JSON. */
  get json(): unknown {
    this.#json ??= { value: freeze(JSON.parse(decoder.decode(this))) };
    return this.#json.value;
  }
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
