/** Finds duplicate keys in a JSON text, which JSON.parse drops silently. */
import { formatPath, type PathSegment } from '@ecsm/runtime';

/** Further duplicates are not reported. */
export const DUPLICATES_MAX = 50;
/** A key can be as long as the text. */
const PATH_CHARACTERS_MAX = 1_000;

interface Level {
  /** The keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index that the scan is at. */
  segment: PathSegment;
}

/**
 * Returns the paths of keys that occur more than once in an object, each once. `text` has to be valid JSON. The scan is
 * linear, and not a regular expression: one over a string of megabytes overflows the stack of the engine.
 */
export function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  let lastString = '""';
  for (let index = 0; index < text.length; index++) {
    const level = levels.at(-1);
    switch (text[index]) {
      case '"': {
        const end = endOfString(text, index);
        lastString = text.slice(index, end + 1);
        index = end;
        break;
      }
      case '{':
        levels.push({ keys: new Set(), segment: '' });
        break;
      case '[':
        levels.push({ keys: undefined, segment: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (typeof level?.segment === 'number') level.segment++;
        break;
      case ':':
        if (level?.keys !== undefined && isRepeated(level, level.keys, lastString) && found.size < DUPLICATES_MAX) {
          found.add(pathOf(levels));
        }
    }
  }
  return [...found];
}

/** The index of the quote that closes the string opened at `quote`. */
function endOfString(text: string, quote: number): number {
  let index = quote + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

/** Enters the key, and returns whether the object had it before. */
function isRepeated(level: Level, keys: Set<string>, quoted: string): boolean {
  // Two spellings of a key, such as "a" and "\u0061", are the same key.
  const key: unknown = JSON.parse(quoted);
  level.segment = String(key);
  const isKnown = keys.has(level.segment);
  keys.add(level.segment);
  return isKnown;
}

function pathOf(levels: readonly Level[]): string {
  const segments = levels.map(({ segment }) => segment);
  return formatPath('', segments).slice(0, PATH_CHARACTERS_MAX);
}
