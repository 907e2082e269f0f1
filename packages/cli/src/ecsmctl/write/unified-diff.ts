/** The differences of two texts in the format of `diff -u`. Pure. */

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const contextLines = 3;
/** Above this number of differences all lines are shown as replaced, because the search is too expensive. */
const differencesMax = 1_000;

/** Lines without line ends: `@@ …`, ` …`, `-…`, `+…`. Empty if the texts are equal. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  if (before === after) return [];
  return hunksOf(compare(linesOf(before), linesOf(after)));
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

/** Common lines at the start and end need no search. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const lengthMin = Math.min(before.length, after.length);
  let start = 0;
  while (start < lengthMin && before[start] === after[start]) start++;
  let end = 0;
  while (end < lengthMin - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): Line => ({ sign: ' ', text });
  const old = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return [...before.slice(0, start).map(same), ...shortest(old, added), ...before.slice(before.length - end).map(same)];
}

/** Myers' greedy search: after `d` differences, how far each diagonal gets. */
function shortest(before: readonly string[], after: readonly string[]): readonly Line[] {
  const all = (): Line[] => [
    ...before.map((text): Line => ({ sign: '-', text })),
    ...after.map((text): Line => ({ sign: '+', text })),
  ];
  if (before.length === 0 || after.length === 0) return all();
  const reached = new Map<number, number>([[1, 0]]);
  const rounds: ReadonlyMap<number, number>[] = [];
  for (let d = 0; d <= Math.min(before.length + after.length, differencesMax); d++) {
    rounds.push(new Map(reached));
    for (let diagonal = -d; diagonal <= d; diagonal += 2) {
      let x = isDown(reached, diagonal, d) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return traced(before, after, rounds);
    }
  }
  return all();
}

function at(reached: ReadonlyMap<number, number>, diagonal: number): number {
  return reached.get(diagonal) ?? -1;
}

/** Whether this diagonal was reached by an added line. */
function isDown(reached: ReadonlyMap<number, number>, diagonal: number, d: number): boolean {
  return diagonal === -d || (diagonal !== d && at(reached, diagonal - 1) < at(reached, diagonal + 1));
}

/** Traces the path back from the end to the start. */
function traced(
  before: readonly string[],
  after: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): readonly Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let d = rounds.length - 1; d >= 0; d--) {
    const reached = rounds[d] ?? new Map<number, number>();
    const diagonal = x - y;
    const from = isDown(reached, diagonal, d) ? diagonal + 1 : diagonal - 1;
    const fromX = Math.max(0, at(reached, from));
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      lines.push({ sign: ' ', text: before[x] ?? '' });
    }
    if (d === 0) break;
    if (x === fromX) lines.push({ sign: '+', text: after[--y] ?? '' });
    else lines.push({ sign: '-', text: before[--x] ?? '' });
  }
  return lines.reverse();
}

/** Groups differences into hunks with context lines. */
function hunksOf(lines: readonly Line[]): readonly string[] {
  const shown: string[] = [];
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  let oldLine = 1;
  let newLine = 1;
  let done = 0;
  const pass = (until: number) => {
    for (const { sign } of lines.slice(done, until)) {
      if (sign !== '+') oldLine++;
      if (sign !== '-') newLine++;
    }
    done = until;
  };
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <= contextLines * 2) last++;
    const start = Math.max(0, (changed[first] ?? 0) - contextLines);
    const end = Math.min(lines.length, (changed[last] ?? 0) + contextLines + 1);
    pass(start);
    const hunk = lines.slice(start, end);
    const count = (sign: Line['sign']) => hunk.filter((line) => line.sign !== sign).length;
    shown.push(`@@ -${rangeOf(oldLine, count('+'))} +${rangeOf(newLine, count('-'))} @@`);
    shown.push(...hunk.map(({ sign, text }) => `${sign}${text}`));
    pass(end);
    first = last + 1;
  }
  return shown;
}

/** An empty range is numbered by the line before it. */
function rangeOf(line: number, count: number): string {
  if (count === 0) return `${line - 1},0`;
  return count === 1 ? String(line) : `${line},${count}`;
}
