/** The name of a revision of a pod template: the same for the same template, in any order of its fields. */

/** Of templates that are read again and again: objects of a registry do not change. */
const known = new WeakMap<object, string>();

export function revisionOf(name: string, template: object): string {
  const text = known.get(template) ?? hash(canonical(template)).toString(36);
  known.set(template, text);
  return `${name}-${text}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let result = 0x811c9dc5;
  for (const byte of Buffer.from(text)) result = Math.imul(result ^ byte, 0x01000193) >>> 0;
  return result;
}
