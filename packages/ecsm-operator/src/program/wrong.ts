/** What people said that makes no sense. The message is one sentence for them, naming what they said. */
import { nearest } from '@ecsm/runtime';

export class Wrong extends Error {
  override readonly name = 'Wrong';
}

const shownMax = 12;

/** ` Did you mean "--listen"?`, or a list of what there is if nothing is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  const more = candidates.length > shownMax ? `, and ${candidates.length - shownMax} more` : '';
  return ` There are ${candidates.slice(0, shownMax).join(', ')}${more}.`;
}
