/** Runs one job and reports its result, whatever happens. */
import { appendFile } from 'node:fs/promises';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { commit } from './commit.ts';
import type { AgentContext } from './context.ts';
import { failureOf } from './failure.ts';
import { fetchSnapshot } from './fetch.ts';
import { type AgentJob, type AgentResult, type AgentSuccess, resultBytesMax } from './job.ts';
import { parseJob } from './parse.ts';
import { prune } from './prune.ts';

/** Never throws: a failure is a result. */
export async function runJob(text: string | undefined, kind: string, context: AgentContext): Promise<AgentResult> {
  try {
    const job = parseJob(text);
    if (job.do !== kind) {
      return {
        ok: false,
        code: 'InvalidJob',
        message: `the job is ${job.do}, and the command ${kind}`,
        isRetriable: false,
      };
    }
    return await work(job, context);
  } catch (error) {
    if (context.signal.aborted) {
      return { ok: false, code: 'Interrupted', message: 'the agent was stopped before it was done', isRetriable: true };
    }
    return failureOf(error);
  }
}

/** At most `resultBytesMax` bytes: what is long is shortened, so that it stays JSON. */
export function formatResult(result: AgentResult): string {
  const fits = (value: AgentResult) => Buffer.byteLength(JSON.stringify(value)) <= resultBytesMax;
  if (fits(result)) return JSON.stringify(result);
  if (!result.ok) {
    let { message } = result;
    while (message !== '' && !fits({ ...result, message: `${message}…` }))
      message = message.slice(0, message.length * 0.9);
    return JSON.stringify({ ...result, message: `${message}…` });
  }
  if (result.do !== 'backup') return JSON.stringify(result);
  // The oldest first: they are the least likely to have an EtcdBackup, which is deleted because of this.
  let { pruned } = result;
  while (pruned.length > 0 && !fits({ ...result, pruned })) pruned = pruned.slice(1);
  return JSON.stringify({ ...result, pruned });
}

/** The termination log of a pod exists already, and is not replaced. */
export async function writeResult(path: string, result: AgentResult): Promise<void> {
  await appendFile(path, formatResult(result));
}

function work(job: AgentJob, context: AgentContext): Promise<AgentSuccess> {
  switch (job.do) {
    case 'backup':
      return backup(job, context);
    case 'fetch':
      return fetchSnapshot(job, context);
    case 'commit':
      return commit(job);
    case 'check':
      return check(job, context);
    case 'prune':
      return prune(job, context);
  }
}
