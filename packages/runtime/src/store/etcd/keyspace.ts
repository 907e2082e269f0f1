/** Maps a store's keys to etcd's: under `<prefix>/`, separate from other prefixes (`a` and `ab`) and other users. */
import { malformed } from './errors.ts';
import { type JsonObject, stringAt } from './json.ts';

/** etcd's half-open range of keys, in base64. */
interface KeyRange {
  readonly key: string;
  readonly range_end: string;
}

export class Keyspace {
  /** Ends with the slash. */
  readonly base: string;

  /** Leading, trailing and repeated slashes of the prefix are ignored: `/a//b/` is `a/b`. */
  constructor(prefix: string) {
    this.base = `${prefix
      .split('/')
      .filter((part) => part !== '')
      .join('/')}/`;
  }

  encode(key: string): string {
    return Buffer.from(this.base + key, 'utf8').toString('base64');
  }

  /** The key in an etcd key-value, without the prefix. */
  decode(keyValue: JsonObject): string {
    const full = Buffer.from(stringAt(keyValue, 'key'), 'base64').toString('utf8');
    if (!full.startsWith(this.base)) throw malformed(`a key outside of "${this.base}"`);
    return full.slice(this.base.length);
  }

  /** All keys that start with the prefix and sort after `after`. */
  range(prefix: string, after?: string): KeyRange {
    // The smallest key after another is that key with a zero byte. A key before the range is ignored.
    const start = after !== undefined && after >= prefix ? `${after}\0` : prefix;
    return { key: this.encode(start), range_end: prefixEnd(this.base + prefix).toString('base64') };
  }
}

/** The first key after those with the prefix. UTF-8 has no byte 0xff, so incrementing the last one never overflows. */
function prefixEnd(prefix: string): Buffer {
  const end = Buffer.from(prefix, 'utf8');
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
  return end;
}
