/** `ecsmctl patch`: a merge patch, in JSON or YAML. */
import { isApiError, type JsonObject, readManifests } from '@ecsm/runtime';
import type { Call, Run } from '../shell/command.ts';
import { Failure, Wrong } from '../shell/wrong.ts';
import { changeEach } from './change.ts';
import { hiddenIn } from './secrets.ts';
import { said } from './targets.ts';
import { requireNames } from './words.ts';

export const run: Run = async (call) => {
  requireNames(call);
  const patch = await patchOf(call);
  await changeEach(call, { past: 'patched', patchFor: () => patch });
};

interface Source {
  readonly from: string;
  readonly bytes: Uint8Array;
}

async function patchOf(call: Call): Promise<JsonObject> {
  const { from, bytes } = await sourceOf(call);
  const patch = await objectIn(from, bytes);
  if (Object.keys(patch).length === 0) throw new Wrong(`${from}: the patch is empty: it would change nothing`);
  if (Object.hasOwn(patch, 'status')) {
    throw new Wrong(`${from}: the status is what the operator has seen: it cannot be patched`);
  }
  const [secret] = hiddenIn(patch);
  if (secret !== undefined) {
    throw new Wrong(`${from}: ${secret}: "<hidden>" is what is printed instead of a secret: write the secret itself`);
  }
  return patch;
}

async function sourceOf(call: Call): Promise<Source> {
  const text = said(call, 'patch');
  const file = said(call, 'patch-file');
  if (text !== undefined && file !== undefined) throw new Wrong('say -p or --patch-file, not both');
  if (text !== undefined) return { from: '--patch', bytes: new TextEncoder().encode(text) };
  if (file === undefined) {
    throw new Wrong(`say what to change: -p '{"spec":{"paused":true}}', or --patch-file FILE`);
  }
  if (file === '-') return { from: 'standard input', bytes: await call.world.readInput() };
  const bytes = await call.world.files.read(file);
  if (!bytes) throw new Failure(`there is no file "${file}"`);
  return { from: file, bytes };
}

async function objectIn(from: string, bytes: Uint8Array): Promise<JsonObject> {
  try {
    const [patch, second] = await readManifests(bytes, { file: from });
    if (!patch) throw new Wrong(`${from}: the patch is empty: it would change nothing`);
    if (second) throw new Wrong(`${from}: a patch is one object, and there are several`);
    return patch.object;
  } catch (error) {
    throw isApiError(error) ? new Wrong(error.message) : error;
  }
}
