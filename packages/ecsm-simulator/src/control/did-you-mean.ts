/** A suggestion for a mistyped name. */
import { nearest } from '@ecsm/runtime';

const shownMax = 12;

/** Returns ` Did you mean "frozen"?`, or a list of the candidates if none is similar; empty without candidates. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  if (candidates.length === 0) return '';
  const more = candidates.length > shownMax ? `, and ${candidates.length - shownMax} more` : '';
  return ` There are ${candidates.slice(0, shownMax).join(', ')}${more}.`;
}
