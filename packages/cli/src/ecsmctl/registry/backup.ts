/** `ecsmctl backup FILE|-`: a consistent snapshot of the registry. */

import { type Call, plural, type Run, UsageError, visible } from '@ecsm/command-line';
import { type BackupSummary, backup, isApiError, type Store } from '@ecsm/runtime';
import { isOn } from '../shared/targets.ts';
import { amountText, secretFileText, withAwaitedSession, withTransfer } from './transfer.ts';

/** A registry that is compacted faster than it is read fails every attempt. */
const attemptsMax = 3;

export const run: Run = async (call) => {
  const { terminal, words } = call;
  const [file = ''] = words;
  const isStream = file === '-';
  if (isStream && terminal.out.isTerminal) {
    throw new UsageError('a backup contains passwords in plain text and is not written to a terminal: name a file');
  }
  if (isStream && isOn(call, 'overwrite')) throw new UsageError('--overwrite cannot be used with standard output (-)');
  const { summary, url } = await withAwaitedSession(call, async ({ store, url }) => ({
    url,
    summary: await (isStream ? toOutput(call, store(), url) : toFile(call, store(), url, file)),
  }));
  const { err } = terminal;
  if (summary.damaged > 0) {
    err.write(
      `warning: ${plural(summary.damaged, 'damaged record')} could not be read, and ${summary.damaged === 1 ? 'is' : 'are'} not in the backup\n`,
    );
  }
  const message = `saved ${amountText(summary)} of ${url} as of revision ${summary.revision}`;
  if (isStream) err.write(`${message}\n`);
  else {
    terminal.out.write(`${message} to ${visible(file)}\n`);
    err.write(secretFileText(file));
  }
};

/** Writes the file atomically. Starts again if the snapshot expires meanwhile. */
async function toFile(call: Call, store: Store, url: string, file: string): Promise<BackupSummary> {
  const exclusive = !isOn(call, 'overwrite');
  return withTransfer(call, `a backup of ${url}`, async (options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { chunks, summary } = backupOf(call, store, options);
        await call.terminal.files.write(file, chunks, { exclusive, secret: true });
        return summary();
      } catch (error) {
        if (!isApiError(error, 'Expired') || attempt === attemptsMax) throw error;
        call.terminal.detail(`${error.message} (attempt ${attempt} of ${attemptsMax})`);
      }
    }
  });
}

/** Cannot be retried, because the output is already written; readers detect the missing end. */
async function toOutput(call: Call, store: Store, url: string): Promise<BackupSummary> {
  const { out } = call.terminal;
  return withTransfer(call, `a backup of ${url}`, async (options) => {
    const { chunks, summary } = backupOf(call, store, options);
    const decoder = new TextDecoder();
    for await (const chunk of chunks) {
      out.write(decoder.decode(chunk, { stream: true }));
      await out.drained();
    }
    return summary();
  });
}

type Options = Parameters<typeof backup>[1];

function backupOf(call: Call, store: Store, options: Options) {
  let end: BackupSummary | undefined;
  const chunks = backup(store, {
    ...options,
    clock: call.terminal.clock,
    leaveOutDamaged: isOn(call, 'leave-out-damaged'),
    onEnd: (summary) => {
      end = summary;
    },
  });
  const summary = () => {
    if (end === undefined) throw new Error('the backup ended without a summary');
    return end;
  };
  return { chunks, summary };
}
