/** `ecsmctl patch`: a merge patch or a JSON patch, in JSON or YAML. */

import { type Call, Failure, type Run, UsageError } from '@ecsm/command-line';
import { createMergePatch, isApiError, type JsonObject, type JsonValue, readManifests } from '@ecsm/runtime';
import { hiddenIn } from '../shared/secrets.ts';
import { flagIfSet } from '../shared/targets.ts';
import { requireNames } from './arguments.ts';
import { changeEach } from './change.ts';

export const run: Run = async (call) => {
  requireNames(call);
  if (call.flag('type') === 'json') return patchByOperations(call);
  const patch = await patchOf(call);
  await changeEach(call, { command: 'patch', past: 'patched', patchFor: () => patch });
};

/** RFC 6902. It is applied here, to the object that was read, and sent as the merge patch with the same result. */
async function patchByOperations(call: Call): Promise<void> {
  const { from, bytes } = await sourceOf(call);
  const operations = await listIn(from, bytes);
  const { applyJsonPatch } = await import('@ecsm/apiserver');
  await changeEach(call, {
    command: 'patch',
    past: 'patched',
    patchFor: (_, object) => {
      const before = jsonOf(object);
      try {
        return createMergePatch(before, applyJsonPatch(before, operations));
      } catch (error) {
        throw new Failure(`${from}: ${error instanceof Error ? error.message : error}`);
      }
    },
  });
}

async function listIn(from: string, bytes: Uint8Array): Promise<readonly JsonValue[]> {
  const hint = `${from}: a patch of the type json is a list: [{"op": "replace", "path": "/spec/paused", "value": true}]`;
  const found = await valueIn(from, utf8Of(from, bytes));
  if (!Array.isArray(found)) throw new UsageError(hint);
  if (found.length === 0) throw new UsageError(`${from}: the patch is empty: it would change nothing`);
  for (const one of found) {
    const path: unknown = typeof one === 'object' && one !== null ? Reflect.get(one, 'path') : undefined;
    if (typeof path !== 'string') throw new UsageError(hint);
    if (path === '/status' || path.startsWith('/status/')) {
      throw new UsageError(`${from}: the status cannot be patched: only the operator writes it`);
    }
  }
  rejectHidden(from, found);
  return found;
}

/** A patch with replaced characters would be stored. */
function utf8Of(from: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${from} is not UTF-8: save the patch as UTF-8`);
  }
}

/** JSON, or a list in YAML. */
async function valueIn(from: string, text: string): Promise<unknown> {
  if (!/^\s*-\s/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new UsageError(`${from}: ${error instanceof Error ? error.message : error}`);
    }
  }
  // A manifest is an object: the list becomes a field of one.
  const { operations } = await objectIn(from, new TextEncoder().encode(`operations:\n${text}`));
  return operations;
}

/** Without fields that are undefined. */
function jsonOf(object: object): JsonValue {
  return JSON.parse(JSON.stringify(object));
}

interface Source {
  readonly from: string;
  readonly bytes: Uint8Array;
}

async function patchOf(call: Call): Promise<JsonObject> {
  const { from, bytes } = await sourceOf(call);
  const patch = await objectIn(from, bytes);
  if (Object.keys(patch).length === 0) throw new UsageError(`${from}: the patch is empty: it would change nothing`);
  if (Object.hasOwn(patch, 'status')) {
    throw new UsageError(`${from}: the status cannot be patched: only the operator writes it`);
  }
  rejectHidden(from, patch);
  return patch;
}

function rejectHidden(from: string, patch: unknown): void {
  const [secret] = hiddenIn(patch);
  if (secret === undefined) return;
  throw new UsageError(`${from}: ${secret}: "<hidden>" is a placeholder for a secret: write the secret itself`);
}

async function sourceOf(call: Call): Promise<Source> {
  const text = flagIfSet(call, 'patch');
  const file = flagIfSet(call, 'patch-file');
  if (text !== undefined && file !== undefined) throw new UsageError('use -p or --patch-file, not both');
  if (text !== undefined) return { from: '--patch', bytes: new TextEncoder().encode(text) };
  if (file === undefined) {
    throw new UsageError(`specify a patch: -p '{"spec":{"paused":true}}', or --patch-file FILE`);
  }
  if (file === '-') return { from: 'standard input', bytes: await call.terminal.readInput() };
  const bytes = await call.terminal.files.read(file);
  if (!bytes) throw new Failure(`there is no file "${file}"`);
  return { from: file, bytes };
}

async function objectIn(from: string, bytes: Uint8Array): Promise<JsonObject> {
  try {
    const [patch, second] = await readManifests(bytes, { file: from });
    if (!patch) throw new UsageError(`${from}: the patch is empty: it would change nothing`);
    if (second) throw new UsageError(`${from}: a patch has to be a single object`);
    return patch.object;
  } catch (error) {
    throw isApiError(error) ? new UsageError(error.message) : error;
  }
}
