/**
 * A tour of the registry in your terminal: this process writes, a second one watches, and you see when what arrives.
 *
 * Usage: node examples/tour/tour.mjs [--once]
 * On a terminal it goes on afterwards and shows what you do to the files, until Ctrl-C; with --once, or where the output
 * is not a terminal, it ends by itself. It works in a directory of its own, and removes it.
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
import { note, refused, say, show, step, title, watched, wrote } from './print.mjs';

const isInteractive = process.stdout.isTTY && !process.argv.includes('--once');
/** Long enough to read what was printed before the next thing happens. */
const pauseMs = isInteractive ? 900 : 0;
/** A change arrives in milliseconds; if it has not after this long, something is broken. */
const arrivalMsMax = 20_000;

const stop = new AbortController();
const interrupted = 'interrupted';
process.on('SIGINT', () => stop.abort(interrupted));
process.on('SIGTERM', () => stop.abort(interrupted));

/** Versions that the other process saw, and the times they took to get there. */
const seen = [];
const tookMs = [];

const directory = mkdtempSync(join(tmpdir(), 'ecsm-tour-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const registry = await openRegistry(`file:${directory}`, { kinds: [Instrument], log: { write: complain } });
const instruments = registry.resource(Instrument);
const watcher = fork(fileURLToPath(new URL('watcher.mjs', import.meta.url)), [`file:${directory}`, '0']);
watcher.once('exit', () => stop.abort(new Error('the other process has ended')));
const messages = on(watcher, 'message', { signal: stop.signal });
try {
  await nextMessage();
  await tell();
  if (isInteractive) await yourTurn();
  else say('In a terminal, make tour goes on from here: edit the files and watch. How it works: docs/registry.md');
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

async function tell() {
  title('ecsm-operator: a tour of the registry');
  say('A registry holds what people want. This one is a directory of readable files:');
  show(directory);
  say(`Process ${process.pid} writes to it, and process ${watcher.pid} watches.`);

  await chapter(1, 'Apply the two objects in instruments.yaml.');
  for (const object of await objectsIn('instruments.yaml')) await apply(object);

  await chapter(2, 'Apply them again: nothing is new, so nothing is written and nobody is woken.');
  for (const object of await objectsIn('instruments.yaml')) await apply(object);

  await chapter(3, 'Point the camera at the sun. A new spec is a new generation.');
  await write('camera', () => instruments.patch('camera', { spec: { mode: 'Science', target: 'sun' } }));

  await chapter(4, 'Two people change the camera as they both read it. The second is told.');
  const read = await instruments.get('camera');
  await write('camera', () => instruments.update({ ...read, spec: { ...read.spec, ratePerMinute: 60 } }));
  await refusal(() => instruments.update({ ...read, spec: { ...read.spec, target: 'moon' } }));

  await chapter(5, 'Check mistakes.yaml: every mistake has its place, and nothing is stored.');
  for (const manifest of await manifestsIn('mistakes.yaml')) {
    for (const error of await validateManifest(manifest, registry.kinds)) refused(formatManifestError(error));
  }

  await chapter(6, 'Delete the camera. Its finalizer wants the shutter closed first, so it waits.');
  await write('camera', () => instruments.delete('camera'));
  note('the shutter closes, and the finalizer is taken off');
  await write('camera', () => instruments.patch('camera', { metadata: { finalizers: null } }));

  const [first, last] = [seen[0], seen.at(-1)];
  const isInOrder = seen.every((version, index) => index === 0 || version > seen[index - 1]);
  if (!isInOrder) throw new Error(`the changes came out of order: ${seen.join(' ')}`);
  say(`\nThe other process saw ${seen.length} changes, each once and in order, versions ${first} to ${last}.`);
  const medianMs = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)];
  say(`Half of them reached it within ${medianMs.toFixed(1)} ms from the start of their write.\n`);
}

/** Until Ctrl-C. What happens to the files is shown as it happens. */
async function yourTurn() {
  title('Your turn');
  say('Open this file in an editor, change the rate and save:');
  show(join(directory, 'tour.ecsm.sh', 'v1', 'instruments', 'default', 'magnetometer.json'));
  say('Then try a mode that does not exist, a copy of the file, or rm. Ctrl-C ends.\n');
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
  const isGone = await instruments.get(name).then(
    () => false,
    (error) => isApiError(error, 'NotFound'),
  );
  if (isGone) wrote(`${name} gone`, took);
  else if (metadata.deletionTimestamp) wrote(`${name} marked for deletion`, took);
  else wrote(`${name} version ${metadata.resourceVersion}, generation ${metadata.generation}`, took);
  await showArrival(startMs);
}

async function refusal(change) {
  try {
    await change();
  } catch (error) {
    if (!isApiError(error)) throw error;
    return refused(`${error.code}: ${error.message}`);
  }
  throw new Error('what should have been refused was accepted');
}

/** Waits for the other process to say what it saw of the last write. */
async function showArrival(startMs) {
  const { events, resourceVersion, seenMs } = await nextMessage();
  seen.push(Number(resourceVersion));
  tookMs.push(seenMs - startMs);
  for (const event of events) watched(describe(event), seenMs - startMs);
}

async function nextMessage() {
  const late = sleep(arrivalMsMax, undefined, { ref: false }).then(() => {
    throw new Error(`the other process said nothing for ${arrivalMsMax} ms`);
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

/** The registry's log: it says which edits by hand are refused, and why. */
function complain(_level, _message, { file, reason } = {}) {
  if (reason === undefined) return;
  const name = file === undefined ? '' : basename(file);
  refused(reason.includes(name) ? reason.replaceAll(file, name) : `${name}: ${reason}`);
}
