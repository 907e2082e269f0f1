/** `ecsmctl restore FILE`: restores a backup into an empty registry. The whole backup is verified first. */

import { type Call, Failure, Interrupted, plural, type Run, UsageError, visible } from '@ecsm/command-line';
import {
  type BackupSource,
  incompleteTransfer,
  isApiError,
  type RestoreSummary,
  restore,
  type Store,
  verifyBackup,
} from '@ecsm/runtime';
import { settingsOf } from '../shared/location.ts';
import { type Session, withSession } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';
import { amountText, withTransfer } from './transfer.ts';

/** Its name in error messages. */
const standardInput = 'standard input';

export const run: Run = async (call) => {
  const { terminal, words } = call;
  const [word = ''] = words;
  const isDryRun = isOn(call, 'dry-run');
  if (!isDryRun && (await settingsOf(call)).get('registry') === 'memory:') {
    throw new UsageError('memory: is lost when the command ends: use another registry, or --dry-run');
  }
  const open = await openerOf(call, word);
  const file = word === '-' ? standardInput : word;
  const verified = await withTransfer(call, `${visible(file)} to be verified`, async (options) =>
    verifyBackup(await open(), { ...options, file }),
  );
  const what = `${visible(file)} is valid: ${amountText(verified)} as of revision ${verified.revision}, ${visible(verified.time)}`;
  if (verified.damaged > 0) {
    terminal.err.write(`warning: ${plural(verified.damaged, 'record')} could not be read when the backup was taken\n`);
  }
  if (isDryRun) {
    terminal.out.write(`${what}; nothing was restored (dry run)\n`);
    return;
  }
  const { summary, url } = await withSession(
    call,
    async (session) => ({ url: session.url, summary: await fill(call, session, await open(), file, verified.objects) }),
    { missing: 'create' },
  );
  if (summary.backup.sum !== verified.sum) {
    terminal.err.write(
      `warning: ${visible(file)} was replaced by another backup during the restore, and the new one was restored\n`,
    );
  }
  terminal.out.write(`restored ${amountText(summary)} to ${url}, and verified them\n`);
  if (summary.leftOut > 0) {
    terminal.err.write(
      `${plural(summary.leftOut, 'lease or fence', 'leases and fences')} skipped: a new leader will be elected\n`,
    );
  }
};

type Opener = () => Promise<Exclude<BackupSource, () => unknown>>;

/** The backup is read twice: to verify it and to restore it. */
async function openerOf({ terminal }: Call, word: string): Promise<Opener> {
  if (word === '-') {
    const bytes = await terminal.readInput();
    return async () => only(bytes);
  }
  return async () => {
    const found = await terminal.files.open(word);
    if (!found) throw new Failure(`there is no file "${word}"`);
    return found.chunks;
  };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function fill(
  call: Call,
  session: Session,
  chunks: Awaited<ReturnType<Opener>>,
  file: string,
  objectsTotal: number,
): Promise<RestoreSummary> {
  const { clock } = call.terminal;
  const { url } = session;
  const store = session.store();
  try {
    return await withTransfer(call, `${visible(file)} to be restored`, ({ onProgress, signal }) =>
      restore(chunks, store, {
        file,
        clock,
        signal,
        startOver: isOn(call, 'start-over'),
        onProgress: (progress) => onProgress({ ...progress, objectsTotal }),
      }),
    );
  } catch (error) {
    throw await explained(error, store, `${url} is incomplete: repeat the restore, which starts over`);
  }
}

/** Adds `text` to an error if the target is incomplete. Bugs are returned unchanged. */
export async function explained(error: unknown, store: Store, text: string): Promise<unknown> {
  if (isApiError(error, 'Forbidden')) {
    const isShared = error.details.remedy === 'startOver';
    return isShared ? new Failure(`${error.message} with --start-over`, { cause: error }) : error;
  }
  const isForPeople = isApiError(error)
    ? error.retry !== 'bug'
    : error instanceof Failure || error instanceof Interrupted;
  if (!isForPeople || !(error instanceof Error)) return error;
  const isIncomplete = await incompleteTransfer(store).then(
    (found) => found !== undefined,
    () => false,
  );
  return isIncomplete ? new Failure(`${error.message}; ${text}`, { cause: error }) : error;
}
