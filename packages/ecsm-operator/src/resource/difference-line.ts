/** A difference as a line for messages: short, and without secrets. */
import { redact } from '@ecsm/runtime';

/** Maximum length of one value: the line is used in logs, events and conditions. */
const valueLengthMax = 120;

/** `image.ref: worker@1.0.0#sylixos → worker@1.1.0#sylixos`. `name` is that of the field or variable. */
export function lineOf(path: string, name: string, wanted: unknown, actual: unknown): string {
  const [left, right] = [shown(name, actual), shown(name, wanted)];
  // Redacted or truncated values may look the same on both sides.
  return left === right ? `${path}: differs (not shown)` : `${path}: ${left} → ${right}`;
}

function shown(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'none';
  const safe = Object.values(Object(redact({ [name]: value })))[0];
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? 'none');
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
