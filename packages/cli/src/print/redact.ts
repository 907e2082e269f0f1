/**
 * Secrets are never shown. What is named like one is replaced wherever it is found: fields, environments, arguments of
 * programs, URLs, and JSON within strings (the platform has such fields).
 */

export const hidden = '<hidden>';

/** Deeper values show as `…`. It bounds the recursion; objects of people are not that deep. */
const depthMax = 128;

/** A name that contains one of these is a secret's, in any case, with or without `-` and `_`. */
const secretWords =
  'pass[-_.]?word|passwd|pass[-_.]?phrase|secret|token|authorization|cookie|api[-_.]?key|private[-_.]?key|access[-_.]?key|credential|密码|口令';
const secretName = new RegExp(secretWords, 'iu');
/** `NAME=value` of an environment, `Name: value` of a header. */
const namedValue = /^([A-Za-z_][\w.-]*=|[A-Za-z][\w-]*: ?)./su;
/** `--password`, whose value is the next argument, if it is a secret's name. */
const flag = /^--?[\w.-]+$/u;
/** In the middle of a text: `DB_PASSWORD=x`, `--token=x`. What follows the word is bounded, or a long text takes forever. */
const assignment = new RegExp(`((?:${secretWords})[\\w.-]{0,64}=)("[^"]*"?|'[^']*'?|[^\\s"';&,]+)`, 'giu');
/** In JSON that is cut off, or within other text: `"password": "x"`. Rather too much is hidden than too little. */
const jsonField = new RegExp(
  `((?:${secretWords})[\\w.-]{0,64}\\\\*["']\\s*:\\s*)(?:\\\\*"(?:[^"\\\\]|\\\\.)*"?|[^\\s,}]+)`,
  'giu',
);
/** `user:password@` of a URL, and what stands behind `Bearer` and `Basic`. */
const credentials = /(?<=:\/\/[^\s/@:"']{0,256}:)[^\s/@"']{1,256}(?=@)|(?<=\b(?:Bearer|Basic) +)[\w.~+/=-]{4,}/giu;

/** Whether a field, variable or header of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** A copy without them. An empty value stays, so that one sees that there is none. */
export function redact(value: unknown): unknown {
  return copyOf(value, 0);
}

/** A text without them, as far as they are named. */
export function redactText(text: string): string {
  const name = namedValue.exec(text)?.[1];
  if (name !== undefined && isSecretName(name)) return `${name}${hidden}`;
  return text.replace(assignment, `$1${hidden}`).replace(jsonField, `$1"${hidden}"`).replace(credentials, hidden);
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return jsonOf(value, depth) ?? redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '…';
  return Array.isArray(value) ? listOf(value, depth) : objectOf(value, depth);
}

function listOf(items: readonly unknown[], depth: number): unknown[] {
  return items.map((item, index) => {
    const before = items[index - 1];
    const isSecret = typeof before === 'string' && flag.test(before) && isSecretName(before);
    return isSecret ? hide(item) : copyOf(item, depth + 1);
  });
}

function objectOf(object: object, depth: number): object {
  const entries = Object.entries(object);
  // `{name: 'DB_PASSWORD', value: …}`, and the same with `key`.
  const isSecretEntry = entries.some(
    ([key, label]) => /^(?:name|key)$/iu.test(key) && typeof label === 'string' && isSecretName(label),
  );
  // A key may be `__proto__`: fromEntries makes it a field like any other, where an assignment would not.
  return Object.fromEntries(
    entries.map(([key, field]) => {
      const isSecret = isSecretName(key) || (isSecretEntry && /^value$/iu.test(key));
      return [key, isSecret ? hide(field) : copyOf(field, depth + 1)];
    }),
  );
}

/** Whether there is one is no secret. */
function hide(value: unknown): unknown {
  return value === '' || value === null || value === undefined || typeof value === 'boolean' ? value : hidden;
}

/** Only when something was hidden in it; else the text stays as it was written. */
function jsonOf(text: string, depth: number): string | undefined {
  if (!/^\s*[{[]/u.test(text) || !secretName.test(text)) return undefined;
  try {
    return JSON.stringify(copyOf(JSON.parse(text), depth + 1));
  } catch {
    return undefined;
  }
}
