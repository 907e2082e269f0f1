/**
 * A tour of the registry: this process writes, a second process watches, and the output shows what arrives when.
 *
 * Usage: node examples/tour/tour.mjs [--once]
 * On a terminal it then shows your edits of the files until Ctrl-C. With --once, or if the output is not a terminal, it
 * exits. It uses a temporary directory, which it removes.
 */
import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formatManifestError, isApiError, openRegistry, readManifests, validateManifest } from '@ecsm/runtime';
import { Instrument } from './kind.mjs';
import { nowMs } from './now.mjs';
import { note, rejected, say, show, step, title, watched, wrote } from './print.mjs';

const isInteractive = process.stdout.isTTY && !process.argv.includes('--once');
/** Time to read the output of a step. */
const pauseMs = isInteractive ? 900 : 0;
/** Normally a change arrives within milliseconds; after this time something is broken. */
const arrivalMsMax = 20_000;

const stop = new AbortController();
const interrupted = 'interrupted';
process.on('SIGINT', () => stop.abort(interrupted));
process.on('SIGTERM', () => stop.abort(interrupted));

/** Versions received by the other process, and their latencies. */
const seen = [];
const tookMs = [];

const directory = mkdtempSync(join(tmpdir(), 'ecsm-tour-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const registry = await openRegistry(`file:${directory}`, { kinds: [Instrument], log: { write: printRejection } });
const instruments = registry.resource(Instrument);
const watcher = fork(fileURLToPath(new URL('watcher.mjs', import.meta.url)), [`file:${directory}`, '0']);
watcher.once('exit', () => stop.abort(new Error('the watcher process exited')));
const messages = on(watcher, 'message', { signal: stop.signal });
try {
  await nextMessage();
  await runSteps();
  if (isInteractive) await showEdits();
  else say('On a terminal, make tour then shows your edits of the files. Documentation: docs/registry.md');
} catch (error) {
  if (!stop.signal.aborted) throw error;
  if (stop.signal.reason !== interrupted) throw stop.signal.reason;
  say('\nStopped.');
} finally {
  watcher.removeAllListeners('exit');
  if (watcher.connected) watcher.disconnect();
  if (watcher.exitCode === null) await once(watcher, 'exit');
  await registry.close();
}

async function runSteps() {
  title('ecsm-operator: a tour of the registry');
  say('A registry stores the desired state. This one is a directory of readable files:');
  show(directory);
  say(`Process ${process.pid} writes to it, and process ${watcher.pid} watches it.`);

  await chapter(1, 'Apply the two objects in instruments.yaml.');
  for (const object of await objectsIn('instruments.yaml')) await apply(object);

  await chapter(2, 'Apply them again: nothing changed, so nothing is written and no event is sent.');
  for (const object of await objectsIn('instruments.yaml')) await apply(object);

  await chapter(3, 'Point the camera at the sun. A change of the spec increments the generation.');
  await write('camera', () => instruments.patch('camera', { spec: { mode: 'Science', target: 'sun' } }));

  await chapter(4, 'Update the camera twice from the same version. The second update conflicts.');
  const read = await instruments.get('camera');
  await write('camera', () => instruments.update({ ...read, spec: { ...read.spec, ratePerMinute: 60 } }));
  await expectRejection(() => instruments.update({ ...read, spec: { ...read.spec, target: 'moon' } }));

  await chapter(5, 'Validate mistakes.yaml: every error has its position, and nothing is stored.');
  for (const manifest of await manifestsIn('mistakes.yaml')) {
    for (const error of await validateManifest(manifest, registry.kinds)) rejected(formatManifestError(error));
  }

  await chapter(6, 'Delete the camera. Its finalizer blocks the deletion until the shutter is closed.');
  await write('camera', () => instruments.delete('camera'));
  note('the shutter is closed, and the finalizer is removed');
  await write('camera', () => instruments.patch('camera', { metadata: { finalizers: null } }));

  const [first, last] = [seen[0], seen.at(-1)];
  const isInOrder = seen.every((version, index) => index === 0 || registry.isNewer(version, seen[index - 1]));
  if (!isInOrder) throw new Error(`changes arrived out of order: ${seen.join(' ')}`);
  say(`\nThe watcher received ${seen.length} changes, each once and in order, versions ${first} to ${last}.`);
  const medianMs = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)];
  say(`The median latency from the start of a write was ${medianMs.toFixed(1)} ms.\n`);
}

/** Shows changes of the files until Ctrl-C. */
async function showEdits() {
  title('Try it yourself');
  say('Open this file in an editor, change the rate and save:');
  show(join(directory, 'tour.ecsm.sh', 'v1', 'instruments', 'default', 'magnetometer.json'));
  say('Then try an invalid mode, copy the file, or delete it. Ctrl-C stops the tour.\n');
  for (;;) for (const event of (await messages.next()).value[0].events) watched(describe(event));
}

async function chapter(number, text) {
  await sleep(pauseMs, undefined, { signal: stop.signal });
  step(number, text);
}

async function manifestsIn(name) {
  return readManifests(readFileSync(fileURLToPath(new URL(name, import.meta.url))), { file: name });
}

async function objectsIn(name) {
  return (await manifestsIn(name)).map(({ object }) => object);
}

async function apply(object) {
  const startMs = nowMs();
  const result = await instruments.apply(object);
  const { name, resourceVersion } = result.object.metadata;
  if (result.outcome === 'unchanged') return wrote(`${name} unchanged, version ${resourceVersion}`);
  wrote(`${name} ${result.outcome}, version ${resourceVersion}`, nowMs() - startMs);
  await showArrival(startMs);
}

async function write(name, change) {
  const startMs = nowMs();
  const { metadata } = await change();
  const took = nowMs() - startMs;
  const isDeleted = await instruments.get(name).then(
    () => false,
    (error) => isApiError(error, 'NotFound'),
  );
  if (isDeleted) wrote(`${name} deleted`, took);
  else if (metadata.deletionTimestamp) wrote(`${name} marked for deletion`, took);
  else wrote(`${name} version ${metadata.resourceVersion}, generation ${metadata.generation}`, took);
  await showArrival(startMs);
}

async function expectRejection(change) {
  try {
    await change();
  } catch (error) {
    if (!isApiError(error)) throw error;
    return rejected(`${error.code}: ${error.message}`);
  }
  throw new Error('the update should have been rejected');
}

/** Waits until the other process reports the event of the last write. */
async function showArrival(startMs) {
  const { events, resourceVersion, seenMs } = await nextMessage();
  seen.push(resourceVersion);
  tookMs.push(seenMs - startMs);
  for (const event of events) watched(describe(event), seenMs - startMs);
}

async function nextMessage() {
  const late = sleep(arrivalMsMax, undefined, { ref: false }).then(() => {
    throw new Error(`no message from the watcher process within ${arrivalMsMax} ms`);
  });
  const { value } = await Promise.race([messages.next(), late]);
  return value[0];
}

function describe({ type, object }) {
  const { name, deletionTimestamp } = object.metadata;
  if (type === 'Deleted') return `${type} ${name}`;
  const { mode, ratePerMinute, target } = object.spec;
  const state = deletionTimestamp ? 'being deleted' : `${mode}${target ? ` of ${target}` : ''}, ${ratePerMinute}/min`;
  return `${type} ${name}: ${state}`;
}

/** Receives the registry's log, which reports rejected manual edits with the reason. */
function printRejection(_level, _message, { file, reason } = {}) {
  if (reason === undefined) return;
  const name = file === undefined ? '' : basename(file);
  rejected(reason.includes(name) ? reason.replaceAll(file, name) : `${name}: ${reason}`);
}
