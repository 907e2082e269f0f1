/** "Did you mean …?" for user input: fields, kinds, resource names, enumerated values. */

/** Longer words are not typing mistakes, and the distance costs time that grows with the square of the length. */
const WORD_LENGTH_MAX = 64;

/**
 * The restricted Damerau-Levenshtein distance: the number of insertions, deletions, substitutions and swaps of
 * neighbouring letters, where no part is edited twice.
 */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) best = Math.min(best, at(beforePrevious, column - 2) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** The nearest candidate, or undefined if more than a third of the letters differ. Case is ignored. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > WORD_LENGTH_MAX) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distanceMax = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (candidate.length > WORD_LENGTH_MAX || Math.abs(candidate.length - word.length) > distanceMax) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance <= distanceMax && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean "replicas"?`, or the list of candidates if none is near. */
export function didYouMean(word: string, candidates: readonly string[], known: string): string {
  const found = nearest(word, candidates);
  if (found !== undefined) return `did you mean "${found}"?`;
  const names = [...new Set(candidates)].map((name) => `"${name}"`).join(', ');
  return names === '' ? `there are no ${known}` : `${known} are ${names}`;
}
