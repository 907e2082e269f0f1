/** The diff of two versions of an object, in user-written fields, redacted unless values are to be shown, and coloured. */
import { formatYaml } from '../../print/documents.ts';
import type { Paint } from '../../print/paint.ts';
import { redactBoth } from '../shared/secrets.ts';
import { userFieldsOf } from '../shared/user-fields.ts';
import type { AnyObject } from './observe.ts';
import { unifiedDiff } from './unified-diff.ts';

/** `before` is undefined for a new object. Returns an empty string if nothing differs. */
export async function objectDiff(
  before: AnyObject | undefined,
  after: AnyObject,
  { paint, showValues }: { readonly paint: Paint; readonly showValues: boolean },
): Promise<string> {
  const fields = { before: before && userFieldsOf(before), after: userFieldsOf(after) };
  const shown = showValues ? fields : redactBoth(fields.before, fields.after);
  // A cluster-scoped object has no namespace, contrary to its type.
  const namespace: string | undefined = after.metadata.namespace;
  const inside = namespace === undefined ? '' : `${namespace}/`;
  const path = `${inside}${after.kind.toLowerCase()}/${after.metadata.name}.yaml`;
  const lines = unifiedDiff(before ? await formatYaml(shown.before) : '', await formatYaml(shown.after));
  if (lines.length === 0) return '';
  const names = [`--- ${before ? `live/${path}` : '/dev/null'}`, `+++ wanted/${path}`];
  return [...names.map(paint.bold), ...lines.map((line) => painted(line, paint)), ''].join('\n');
}

function painted(line: string, paint: Paint): string {
  if (line.startsWith('-')) return paint.red(line);
  if (line.startsWith('+')) return paint.green(line);
  return line.startsWith('@@') ? paint.cyan(line) : line;
}
