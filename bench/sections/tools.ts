/**
 * Start time of a tool: `ecsmctl version`, and `ecsmctl get` on a registry of 1,000 objects, compared with an empty Node.js
 * process. The rounds alternate, so that all see the same load of the machine.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operatorKinds } from '@ecsm/operator';
import { openRegistry } from '@ecsm/runtime';
import { createServices } from '../fleet.ts';
import { deliver, type Measurement, median } from '../report.ts';
import { inScratch } from '../thing.ts';

const ecsmctl = fileURLToPath(new URL('../../../bin/ecsmctl', import.meta.url));
const rounds = 25;

function timed(command: string, args: readonly string[], linesMin: number): number {
  const startMs = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const tookMs = performance.now() - startMs;
  if (status !== 0 || stdout.split('\n').length < linesMin) throw new Error(`${args.join(' ')}: ${stderr}`);
  return tookMs;
}

const measurements = await inScratch(async (directory): Promise<Measurement[]> => {
  const url = `sqlite:${join(directory, 'registry')}`;
  const registry = await openRegistry(url, { kinds: operatorKinds });
  await createServices(registry, 0, 1_000);
  await registry.close();
  const times = { bare: [] as number[], version: [] as number[], get: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.bare.push(timed(process.execPath, ['-e', '0'], 1));
    times.version.push(timed(ecsmctl, ['version'], 1));
    times.get.push(timed(ecsmctl, ['get', 'services', '--registry', url], 1_000));
  }
  const bare = median(times.bare);
  const line = (name: string, value: number, factor: number): Measurement => ({
    name,
    value,
    unit: 'ms',
    beside: { name: 'node -e 0', value: bare },
    bar: { text: `within ${factor} times`, met: value <= bare * factor },
  });
  return [
    line('ecsmctl version', median(times.version), 1.6),
    line('ecsmctl get, 1,000 objects', median(times.get), 2.5),
  ];
});
deliver(measurements);
