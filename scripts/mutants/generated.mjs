/**
 * Plants a random sample of generated defects one at a time, runs the tests that execute the changed function, nearest
 * first and until one fails, and prints those that are not detected and the rate by package. Exits with 1 if one survives.
 *
 *     node scripts/mutants/generated.mjs SEED COUNT [OF]    OF: areas of sample.mjs, packages or paths, with commas
 *
 * Only the tests beside the code of the same package count. Results are stored until the file, or a test that noticed the
 * defect or might have, changes; so an interrupted run continues.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Compiler } from './compiler.mjs';
import { Covering } from './covering.mjs';
import { equivalent } from './equivalent.mjs';
import { withLanes } from './lanes.mjs';
import { sample } from './sample.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stored = join(root, 'node_modules/.cache/mutants/results.jsonl');
/** Tests of one run without a defect: a defect that they do not notice costs no more than this before the next ones start. */
const runMsMax = 15_000;
/** A run may take this long, and a multiple of the time without a defect. Beyond it the defect counts as caught. */
const extraMs = 20_000;
const slower = 6;
/** A run of this length may have failed because of its time limit, so the tests have to pass without the defect now. */
const doubtMs = 8_000;

const [seed, count, of] = process.argv.slice(2);
if (!/^\d+$/.test(seed ?? '') || !/^\d+$/.test(count ?? '')) {
  console.error('usage: node scripts/mutants/generated.mjs SEED COUNT [OF]');
  process.exit(2);
}

const startedMs = performance.now();
const compiler = new Compiler();
const defects = sample(compiler, { seed: Number(seed), count: Number(count), of });
compiler.close();
const results = readResults();
/** @type {{ defect: import('./sample.mjs').Generated, outcome: string }[]} */
const outcomes = [];
await withLanes([{}, { MUTANTS_MARKED: '1' }], async ([lane, marking]) => {
  const covering = new Covering(marking);
  for (const defect of defects) outcomes.push({ defect, outcome: await outcomeOf(defect, lane, covering) });
});
summarize();

/** @param {import('./sample.mjs').Generated} defect */
async function outcomeOf(defect, lane, covering) {
  const isSame = ({ file, find, replace }) =>
    file === defect.file && find === defect.find.trim() && replace === defect.replace.trim();
  if (equivalent.some(isSame)) return 'equivalent';
  const key = createHash('sha256').update(`${defect.file}\n${defect.text}`).digest('hex');
  const all = createHash('sha256');
  for (const test of covering.groups(defect.file).flat()) all.update(covering.hash(test, true));
  const before = all.digest('hex');
  const known = results.get(key);
  const isKnown =
    known &&
    (known.by
      ? existsSync(join(root, known.by)) && covering.hash(known.by, true) === known.hash
      : known.hash === before);
  const result = isKnown ? known : await run(defect, lane, covering);
  if (!isKnown) store({ key, ...result, hash: result.by ? covering.hash(result.by, true) : before });
  print(result, defect);
  return result.by ? 'caught' : 'SURVIVED';
}

/** @returns {Promise<{ by?: string, note: string, ms: number }>} the test that noticed the defect, if one did */
async function run(defect, lane, covering) {
  const work = { file: join(root, defect.file), text: defect.text };
  let ms = 0;
  let ran = 0;
  for (const group of covering.groups(defect.file)) {
    for (const tests of parts(await covering.reaching(group, defect), covering)) {
      const msMax = Math.ceil(extraMs + slower * sum(tests.map((test) => covering.baseline(test).ms)));
      const paths = tests.map((test) => join(root, test));
      const result = await lane.run({ ...work, tests: paths }, msMax);
      ms += result.ms;
      ran += tests.length;
      if (result.failed === undefined) continue;
      if (result.ms > doubtMs && (await lane.run({ tests: paths }, msMax)).failed !== undefined) {
        console.log(`not used: ${tests.join(' ')} fail without a defect, too`);
        continue;
      }
      return { by: result.test ?? tests.at(-1), note: result.failed.split('\n')[0], ms };
    }
  }
  return { note: ran === 0 ? 'no test executes it' : `${ran} test files passed`, ms };
}

/** The fastest tests first, in parts that are run at once. Those that fail without a defect are left out. */
function parts(tests, covering) {
  const usable = tests.filter((test) => covering.baseline(test).failed === undefined);
  const ordered = usable.sort((one, other) => covering.baseline(one).ms - covering.baseline(other).ms);
  const found = [];
  let left = 0;
  for (const test of ordered) {
    const { ms } = covering.baseline(test);
    if (ms > left) found.push([]);
    left = (ms > left ? runMsMax : left) - ms;
    found.at(-1).push(test);
  }
  return found;
}

function print({ by, note, ms }, { operator, file, line, find, replace }) {
  const lines = [
    `${by ? 'caught' : 'SURVIVED'}  ${(ms / 1000).toFixed(1).padStart(6)} s  ${operator.padEnd(9)}  ${file}:${line}`,
  ];
  if (!by) lines.push(indented('-', find), indented('+', replace), `    ${note}`);
  console.log(lines.join('\n'));
}

function indented(sign, text) {
  return text
    .trim()
    .split('\n')
    .map((line) => `    ${sign} ${line}`)
    .join('\n');
}

function summarize() {
  const table = (title, of) => {
    const groups = new Map();
    for (const one of outcomes) groups.set(of(one.defect), [...(groups.get(of(one.defect)) ?? []), one.outcome]);
    for (const [name, all] of [...groups].sort()) {
      const number = (wanted) => all.filter((outcome) => outcome === wanted).length;
      const rate = (100 * number('caught')) / Math.max(1, all.length - number('equivalent'));
      console.log(
        `${title.padEnd(9)} ${name.padEnd(14)} ${rate.toFixed(1).padStart(5)} %  ${number('caught')} caught, ${number('SURVIVED')} survived, ${number('equivalent')} equivalent`,
      );
    }
  };
  table('operator', ({ operator }) => operator);
  table('area', ({ area }) => area);
  table('package', ({ file }) => file.split('/')[1]);
  table('all', () => `seed ${seed}`);
  console.log(`${defects.length} mutants in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  process.exitCode = outcomes.some(({ outcome }) => outcome === 'SURVIVED') ? 1 : 0;
}

function readResults() {
  if (!existsSync(stored)) return new Map();
  const lines = readFileSync(stored, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line)).map((result) => [result.key, result]));
}

function store(result) {
  mkdirSync(dirname(stored), { recursive: true });
  appendFileSync(stored, `${JSON.stringify(result)}\n`);
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
