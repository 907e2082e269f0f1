/** Shared by the commands that copy a whole registry: progress, timeout and cleanup. */

import { type Call, type Progress, plural, visible, withProgress } from '@ecsm/command-line';
import type { TransferOptions, TransferProgress } from '@ecsm/runtime';
import { formatBytes } from '../../print/amount.ts';
import { type Session, withSession } from '../shared/session.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';

type Work<T> = (options: Required<TransferOptions> & Pick<Progress, 'above'>) => Promise<T>;

/**
 * Runs the work with progress output and the timeout of `--timeout`. Waits until the work has ended, also after Ctrl-C,
 * so that its cleanup is complete.
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
 * Like `withSession`, for work that cleans up after itself. `withSession` abandons read-only work on Ctrl-C; this function
 * waits until the work has ended and reports its error.
 */
export async function withAwaitedSession<T>(call: Call, work: (session: Session) => Promise<T>): Promise<T> {
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
function progressText({ phase, objects, bytes, objectsTotal }: TransferProgress): string {
  const total = phase === 'clearing' || objectsTotal === undefined ? '' : `${objects} of `;
  const counted = plural(total === '' ? objects : (objectsTotal ?? objects), 'object');
  return `${total}${counted} ${verbs[phase]}${bytes === 0 ? '' : ` (${formatBytes(bytes)})`}`;
}

/** The warning about a file with secrets. */
export function secretFileText(file: string): string {
  return `${visible(file)} contains passwords in plain text: only you can read it\n`;
}

/** `12 objects (3.4Ki)` */
export function amountText({ objects, bytes }: { readonly objects: number; readonly bytes: number }): string {
  return `${plural(objects, 'object')} (${formatBytes(bytes)})`;
}
