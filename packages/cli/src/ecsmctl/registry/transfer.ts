/** What the commands that move a whole registry share: progress, a deadline, and an end that leaves nothing running. */

import { type Call, type Progress, plural, visible, withProgress } from '@ecsm/command-line';
import type { TransferOptions, TransferProgress } from '@ecsm/runtime';
import { formatBytes } from '../../print/age.ts';
import { type Session, withSession } from '../shared/session.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';

type Work<T> = (options: Required<TransferOptions> & Pick<Progress, 'above'>) => Promise<T>;

/**
 * Does the work, telling how far it is, up to the deadline of `--timeout`. What it began has ended when this ends, also
 * after Ctrl-C: whoever cleans up has done so.
 */
export async function withTransfer<T>(call: Call, what: string, work: Work<T>): Promise<T> {
  let working: Promise<T> | undefined;
  try {
    return await withProgress(
      call.terminal,
      { what, timeoutMs: timeoutMsOf(call) },
      ({ update, contact, above, signal }) => {
        const onProgress = (progress: TransferProgress) => {
          contact();
          update(progressText(progress));
        };
        working = work({ onProgress, above, signal });
        return working;
      },
    );
  } finally {
    await working?.catch(() => {});
  }
}

/**
 * As `withSession`, for work that leaves something to clean up: a session that only reads is left at once after Ctrl-C,
 * and this waits until the work has ended, too, and tells how.
 */
export async function withLastingSession<T>(call: Call, work: (session: Session) => Promise<T>): Promise<T> {
  let working: Promise<T> | undefined;
  try {
    return await withSession(call, (session) => {
      working = work(session);
      return working;
    });
  } catch (error) {
    await working;
    throw error;
  }
}

const verbs: Readonly<Record<TransferProgress['phase'], string>> = {
  reading: 'read',
  verifying: 'verified',
  clearing: 'left to remove from an incomplete transfer',
  writing: 'written',
  comparing: 'compared',
};

/** `1200 of 5000 objects written (3.4Mi)` */
export function progressText({ phase, objects, bytes, objectsTotal }: TransferProgress): string {
  const total = phase === 'clearing' || objectsTotal === undefined ? '' : `${objects} of `;
  const counted = plural(total === '' ? objects : (objectsTotal ?? objects), 'object');
  return `${total}${counted} ${verbs[phase]}${bytes === 0 ? '' : ` (${formatBytes(bytes)})`}`;
}

/** Said once about a file with secrets in it. It has the mode that the person's umask gives to any file. */
export function secretFileText(file: string): string {
  return `${visible(file)} contains passwords in plain text: only you can read it\n`;
}

/** `12 objects (3.4Ki)` */
export function amountText({ objects, bytes }: { readonly objects: number; readonly bytes: number }): string {
  return `${plural(objects, 'object')} (${formatBytes(bytes)})`;
}
