/** A hint for whoever mistyped a name. */
import { nearest } from '@ecsm/runtime';

const shownMax = 12;

/** ` Did you mean "frozen"?`, a list of what there is if nothing is near, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  if (candidates.length === 0) return '';
  const more = candidates.length > shownMax ? `, and ${candidates.length - shownMax} more` : '';
  return ` There are ${candidates.slice(0, shownMax).join(', ')}${more}.`;
}
