/** The metrics of a process, with the names and help of the client libraries of Prometheus. */
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { MetricRegistry } from './metrics.ts';

const msPerSecond = 1_000;
const microsecondsPerSecond = 1_000_000;

/** Open files are exposed where the system has /proc. */
export function processMetrics(registry: MetricRegistry, clock: Pick<Clock, 'now'> = systemClock): void {
  const gauge = (name: string, help: string, value: () => number) =>
    registry.gauge({ name, help }).with({}).read(value);
  registry
    .counter({ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' })
    .with({})
    .read(() => {
      const { user, system } = process.cpuUsage();
      return (user + system) / microsecondsPerSecond;
    });
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  const startSeconds = clock.now() / msPerSecond - process.uptime();
  gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', () => startSeconds);
  const limit = openFilesMax();
  if (limit === undefined) return;
  // The directory is open itself while it is read.
  gauge('process_open_fds', 'Number of open file descriptors.', () => readdirSync('/proc/self/fd').length - 1);
  gauge('process_max_fds', 'Maximum number of open file descriptors.', () => limit);
}

/** Returns undefined where it is unknown. */
function openFilesMax(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return limit === null ? undefined : Number(limit[1]);
  } catch {
    return undefined;
  }
}
