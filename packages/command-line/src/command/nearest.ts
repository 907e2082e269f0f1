/**
 * "Did you mean …?" for commands and flags. The runtime has the same for kinds and fields; loading it for a typing
 * mistake, or for none, would make every command start late.
 */

/** Longer words are not typing mistakes. */
const wordLengthMax = 64;
const shownMax = 12;
/** Minimum length of a prefix that matches a word; the dashes of a flag count. */
const prefixMin = 3;

/** The edit distance of two words; swapping two neighbours counts as one edit. */
export function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(above, column) + 1,
          at(current, column - 1) + 1,
          at(above, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = current;
  }
  return at(above, to.length);
}

/** The most similar candidate, ignoring case: up to a third of its letters may differ. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > wordLengthMax) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distanceMax = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (Math.abs(candidate.length - word.length) > distanceMax) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > distanceMax || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best ?? candidates.find((one) => word.length >= prefixMin && one.startsWith(word));
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
