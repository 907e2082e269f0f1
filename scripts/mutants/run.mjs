/**
 * Plants the defects of the list one at a time, each in a copy of its module, runs the nearest tests, and prints those
 * that are not detected. The tests have to pass without a defect first. Exits with 1 if a defect survives or no longer
 * applies, or if tests fail without one.
 *
 *     node scripts/mutants/run.mjs            all of them
 *     node scripts/mutants/run.mjs workqueue  those whose name, file or tests match the regular expression
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLanes } from './lanes.mjs';
import { mutants, plant } from './plant.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const only = process.argv[2] === undefined ? undefined : new RegExp(process.argv[2], 'i');
/** A defect that makes tests hang counts as detected after this time. */
const mutantMsMax = 60_000;
const baselineMsMax = 180_000;

const counts = { caught: 0, SURVIVED: 0, 'does not apply': 0, 'not tested': 0 };

function report(outcome, ms, { name, file }, note) {
  counts[outcome]++;
  const time = ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${outcome.padEnd(14)} ${time.padStart(7)}  ${name}  (${file})${note ? `\n${' '.repeat(24)}${note}` : ''}`,
  );
}

/** Groups mutants with the same tests, which share a baseline run. The largest groups are first. */
function groups(selection) {
  const byTests = new Map();
  for (const mutant of selection) {
    const key = mutant.tests.join('\n');
    byTests.set(key, [...(byTests.get(key) ?? []), mutant]);
  }
  return [...byTests.values()].sort((a, b) => b.length - a.length);
}

async function runGroup(lane, group) {
  const tests = group[0].tests.map((test) => join(root, test));
  const baseline = await lane.run({ tests }, baselineMsMax);
  if (baseline.failed !== undefined || baseline.passed === 0) {
    const why = baseline.failed ?? 'all tests were skipped';
    for (const mutant of group) report('not tested', undefined, mutant, `without a defect: ${why}`);
    return;
  }
  for (const mutant of group) {
    const work = { tests, file: join(root, mutant.file), text: plant(mutant).text };
    const { passed, failed, isTimeout, ms } = await lane.run(work, mutantMsMax);
    const by = failed?.split('\n')[0];
    if (failed === undefined && passed < baseline.passed)
      report('not tested', ms, mutant, `only ${passed} of ${baseline.passed} tests ran`);
    else if (failed === undefined) report('SURVIVED', ms, mutant, `tests: ${mutant.tests.join(' ')}`);
    else report('caught', ms, mutant, only !== undefined || isTimeout ? `by: ${by}` : undefined);
  }
}

const selection = mutants.filter(
  ({ name, file, tests }) => only === undefined || [name, file, ...tests].some((text) => only.test(text)),
);
if (selection.length === 0) {
  console.error(`no mutant matches ${only}`);
  process.exit(2);
}
const applicable = selection.filter((mutant) => {
  const { problem } = plant(mutant);
  if (problem !== undefined) report('does not apply', undefined, mutant, problem);
  return problem === undefined;
});

const startedMs = performance.now();
const waiting = groups(applicable);
await withLanes(
  Array.from({ length: availableParallelism() }, () => ({})),
  async (lanes) => {
    await Promise.all(
      lanes.map(async (lane) => {
        for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runGroup(lane, group);
      }),
    );
  },
);
const seconds = Math.round((performance.now() - startedMs) / 1000);
const summary = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
console.log(
  `${selection.length} ${selection.length === 1 ? 'mutant' : 'mutants'} in ${seconds} s: ${summary.join(', ')}`,
);
process.exitCode = counts.caught === selection.length ? 0 : 1;
