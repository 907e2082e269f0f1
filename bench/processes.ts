/** Memory, processor time and disk writes of processes, from /proc. */
import { readFileSync } from 'node:fs';

export function residentMbOf(...pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return sum(kilobytes.map(Number)) / 1024;
}

/** A tick of the kernel's accounting, 100 per second on Linux. */
const tickMs = 10;

export function cpuMsOf(...pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The name in parentheses may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return sum(ticks) * tickMs;
}

/** Bytes that a process has caused to be written to a disk. 0 in a file system in memory. */
export function diskBytesOf(pid: number | 'self'): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
