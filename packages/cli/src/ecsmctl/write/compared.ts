/** Two versions of an object as a diff for people: without noise, without secrets, in colours where there are any. */
import { formatYaml } from '../../print/documents.ts';
import type { Paint } from '../../print/paint.ts';
import { hideBoth } from '../shared/secrets.ts';
import { asWritten } from '../shared/written.ts';
import type { AnyObject } from './observe.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Nothing is an object that is not there. The empty text if both are the same. */
export async function objectDiff(before: AnyObject | undefined, after: AnyObject, paint: Paint): Promise<string> {
  const shown = hideBoth(before && asWritten(before), asWritten(after));
  const path = `${after.metadata.namespace}/${after.kind.toLowerCase()}/${after.metadata.name}.yaml`;
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
