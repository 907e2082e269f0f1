/** The job that deletes backups. A manifest that is not ours is not deleted, and neither is what it describes. */
import { manifestKeyOf } from '../snapshot/names.ts';
import { type AgentContext, startStep, storageOf } from './context.ts';
import type { PruneJob, PruneResult } from './job.ts';
import { deleteBackup, readManifest } from './stored.ts';

export async function prune({ destination, keys }: PruneJob, context: AgentContext): Promise<PruneResult> {
  const storage = await storageOf(destination, context);
  startStep(context, 'deleting backups');
  try {
    for (const baseKey of keys) {
      // Throws if it is something else. Without a manifest an earlier attempt has deleted it, and maybe not the data.
      await readManifest(storage, manifestKeyOf(baseKey), context.signal);
      await deleteBackup(storage, baseKey, context.signal);
    }
  } finally {
    storage.close();
  }
  return { ok: true, do: 'prune', deleted: keys.length };
}
