/**
 * Runs all tests, then prints the failures and the line `N passed, N failed`, with `, N skipped` if tests were skipped.
 * Usage: node scripts/test.mjs [vitest arguments]; with arguments, only those tests run. COVERAGE=1 measures the coverage
 * too, and fails below 90 percent of the lines.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'ecsm-test-'));
const report = join(scratch, 'report.json');
const selection = process.argv.slice(2);
const coverage = process.env.COVERAGE === '1' ? ['--coverage'] : [];
// Tests connect to loopback addresses only. With this variable, which a machine may have, every start of Node.js reads the
// certificates of a system: that takes longer than the start itself, and tests start more than a thousand processes.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const vitest = join('node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`, ...coverage, ...selection],
  { stdio: 'inherit', env },
);

let { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = existsSync(report)
  ? JSON.parse(readFileSync(report, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
rmSync(scratch, { recursive: true, force: true });

// A file that does not load, a missed coverage threshold or a crash of the runner counts as a failure too.
const brokenFiles = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
numFailedTests += brokenFiles.length;
if (run.status !== 0 && numFailedTests === 0) numFailedTests = 1;
if (numPassedTests === 0 && numFailedTests === 0) {
  console.error('no test ran');
  numFailedTests = 1;
}
// Repeated at the end, because some systems keep only the end of a long log.
for (const { name, message, assertionResults } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed) print(name, fullName, failureMessages.join('\n'));
  if (failed.length === 0 && message) print(name, 'does not load', message);
}
const skipped = numPendingTests + numTodoTests;
console.log(`${numPassedTests} passed, ${numFailedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(numFailedTests > 0 ? 1 : 0);

function print(file, test, message) {
  const lines = message
    .split('\n')
    .slice(0, 6)
    .map((line) => `    ${line.slice(0, 300)}`);
  console.log([`failed: ${relative('.', file)}: ${test}`, ...lines].join('\n'));
}
