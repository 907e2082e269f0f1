/**
 * Prints which part of the lines of a package its own tests cover, layer by layer, and fails if it is less than 90 percent
 * of the package. Only the tests beside the code run: what an end-to-end test happens to execute is not covered.
 * Usage: node scripts/coverage.mjs [package], default etcd-operator.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';

const percentMin = 90;
const root = resolve(import.meta.dirname, '..');
const name = process.argv[2] ?? 'etcd-operator';
const sources = join(root, 'packages', name, 'src');
const directory = mkdtempSync(join(tmpdir(), 'coverage-'));
try {
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      `packages/${name}/src/`,
      '--coverage',
      `--coverage.include=packages/${name}/src/**/*.ts`,
      '--coverage.reporter=json-summary',
      `--coverage.reportsDirectory=${directory}`,
      '--coverage.thresholds.lines=0',
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  process.exitCode =
    status === 0 ? report(JSON.parse(readFileSync(join(directory, 'coverage-summary.json'), 'utf8'))) : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Returns the exit code. */
function report({ total, ...files }) {
  const layers = new Map();
  for (const [file, { lines }] of Object.entries(files)) {
    const [layer, ...rest] = relative(sources, file).split(sep);
    if (rest.length === 0) continue;
    const { covered, count } = layers.get(layer) ?? { covered: 0, count: 0 };
    layers.set(layer, { covered: covered + lines.covered, count: count + lines.total });
  }
  const line = (label, covered, count) =>
    console.log(
      `${label.padEnd(12)} ${((100 * covered) / count).toFixed(1).padStart(5)} %  ${covered} of ${count} lines`,
    );
  for (const [layer, { covered, count }] of [...layers].sort(([one], [other]) => one.localeCompare(other))) {
    line(layer, covered, count);
  }
  line('all', total.lines.covered, total.lines.total);
  if (total.lines.pct >= percentMin) return 0;
  console.error(
    `packages/${name}: ${total.lines.pct} percent of the lines are covered; at least ${percentMin} are required`,
  );
  return 1;
}
