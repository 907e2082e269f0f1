/** "Did you mean …?" for commands and flags. */
import { nearest as nearestBySpelling } from '@ecsm/runtime/lib';

const shownMax = 12;
/** Minimum length of a prefix that matches a word; the dashes of a flag count. */
const prefixMin = 3;

/** The most similar candidate, ignoring case, or one that starts with the word. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const isPrefix = (one: string) => word.length >= prefixMin && one.startsWith(word);
  return nearestBySpelling(word, candidates) ?? candidates.find(isPrefix);
}

/** ` Did you mean "--namespace"?`, or a list of what there is if nothing is near. Begins with a blank, or is empty. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  if (candidates.length === 0) return '';
  const more = candidates.length > shownMax ? ` and ${candidates.length - shownMax} more` : '';
  return ` There are ${candidates.slice(0, shownMax).join(', ')}${more}.`;
}

/** `yaml, json or name`. */
export function oneOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
