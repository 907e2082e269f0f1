/** A difference as a line for messages: short, and without values that must not be shown. */
import { hidden, redact } from '@ecsm/runtime';

/** Maximum length of one value: the line is used in logs, events and conditions. */
const valueLengthMax = 120;

/** The environment, the program and its arguments, and VSOA: where the secrets of a template are on the platform. */
const hiddenPaths = /^image\.(?:vsoa|config\.(?:env|cmd|entrypoint|process\.(?:env|args)))(?:$|[.[])/;

/** `image.ref: worker@1.0.0#sylixos → worker@1.1.0#sylixos`. `name` is that of the field or variable. */
export function lineOf(path: string, name: string, wanted: unknown, actual: unknown, showValues = false): string {
  const form = showValues ? 'value' : hiddenPaths.test(path) ? 'hidden' : 'redacted';
  const [left, right] = [actual, wanted].map((value) => shown(name, value, form));
  // Redacted or truncated values may look the same on both sides.
  return left === right ? `${path}: differs (not shown)` : `${path}: ${left} → ${right}`;
}

function shown(name: string, value: unknown, form: 'value' | 'hidden' | 'redacted'): string {
  if (value === undefined || value === null) return 'none';
  if (form === 'hidden') return hidden;
  const safe = form === 'value' ? value : Object.values(Object(redact({ [name]: value })))[0];
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? 'none');
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
