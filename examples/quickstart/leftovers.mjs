/**
 * Removes what an earlier run has left behind because it was killed (SIGKILL, a lost terminal, a full disk): its programs
 * and its directory. A run records its process ids in its directory; one whose first process exists is not touched.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const prefix = 'ecsm-start-';
const recordName = 'processes.json';
const endMsMax = 5_000;
const pollMs = 20;

/** The first is the process of the run itself. */
export function recordProcesses(directory, ids) {
  writeFileSync(join(directory, recordName), JSON.stringify(ids));
}

/** Returns the directories that were removed. */
export async function removeLeftovers(parent) {
  const removed = [];
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
    const directory = join(parent, name);
    const [run, ...children] = recordedIn(directory);
    if (run === undefined || isRunning(run)) continue;
    for (const id of children.reverse()) await end(id, directory);
    rmSync(directory, { recursive: true, force: true });
    removed.push(directory);
  }
  return removed;
}

/** Empty for a directory of another user, or one that is no run. */
function recordedIn(directory) {
  try {
    if (statSync(directory).uid !== process.getuid?.()) return [];
    const ids = JSON.parse(readFileSync(join(directory, recordName), 'utf8'));
    return Array.isArray(ids) && ids.every(Number.isInteger) ? ids : [];
  } catch {
    return [];
  }
}

async function end(id, directory) {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    const endMs = Date.now() + endMsMax;
    if (!isOf(id, directory)) return;
    process.kill(id, signal);
    while (isOf(id, directory) && Date.now() < endMs) await sleep(pollMs);
  }
}

/** Another process may have got the id since. The programs of a run have its directory in their environment. */
function isOf(id, directory) {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`ECSM_HOME=${directory}`);
  } catch {
    return false;
  }
}

/** Has ended, but its parent does not wait for it, as in some containers. */
function isZombie(id) {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function isRunning(id) {
  try {
    process.kill(id, 0);
    return !isZombie(id);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
