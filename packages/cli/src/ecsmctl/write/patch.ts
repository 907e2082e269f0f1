/** `ecsmctl patch`: a merge patch, in JSON or YAML. */

import { type Call, Failure, type Run, UsageError } from '@ecsm/command-line';
import { isApiError, type JsonObject, readManifests } from '@ecsm/runtime';
import { hiddenIn } from '../shared/secrets.ts';
import { flagIfSet } from '../shared/targets.ts';
import { requireNames } from './arguments.ts';
import { changeEach } from './change.ts';

export const run: Run = async (call) => {
  requireNames(call);
  const patch = await patchOf(call);
  await changeEach(call, { command: 'patch', past: 'patched', patchFor: () => patch });
};

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
  const [secret] = hiddenIn(patch);
  if (secret !== undefined) {
    throw new UsageError(`${from}: ${secret}: "<hidden>" is a placeholder for a secret: write the secret itself`);
  }
  return patch;
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
