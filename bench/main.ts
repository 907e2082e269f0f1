/**
 * Runs every section in a separate process, prints one table and writes bench/results/latest.json.
 *
 * NODE_EXTRA_CA_CERTS of the machine is not passed on: with it, every Node.js reads the certificates of a system at its
 * start, which takes longer than the start itself and 2 MB. Nothing here needs them, and no other program reads them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { formatTable, type Measurement } from './report.ts';

const sections = fileURLToPath(new URL('./sections/', import.meta.url));
const wanted = process.argv.slice(2);
const names = readdirSync(sections)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -3))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
if (names.length === 0) throw new Error(`unknown section: ${wanted.join(', ')}`);

const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const measurements: Measurement[] = [];
for (const name of names) {
  process.stderr.write(`measuring ${name}…\n`);
  const run = spawnSync(process.execPath, [`${sections}${name}.js`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env,
  });
  if (run.status !== 0) throw new Error(`${name} exited with ${run.status}`);
  measurements.push(...JSON.parse(run.stdout));
}
console.log(formatTable(measurements));

const results = fileURLToPath(new URL('../results/', import.meta.url));
mkdirSync(results, { recursive: true });
const machine = {
  node: process.version,
  cores: cpus().length,
  processor: cpus()[0]?.model,
  memoryMb: Math.round(totalmem() / 2 ** 20),
};
writeFileSync(`${results}latest.json`, `${JSON.stringify({ machine, measurements }, null, 2)}\n`);
