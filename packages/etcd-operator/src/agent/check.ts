/** The job of a rehearsal: what a restored member serves is what the backup recorded. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@ecsm/runtime';
import type { EtcdClient, EtcdEndpoint, EtcdStatus } from '../client/etcd/contract.ts';
import { isEtcdError } from '../client/etcd/error.ts';
import { readFacts } from '../snapshot/facts.ts';
import { type AgentContext, etcdCredentials, startStep } from './context.ts';
import { AgentError } from './failure.ts';
import type { CheckJob, CheckResult } from './job.ts';
import { requireSpace, writeSnapshot } from './scratch.ts';

/** A member opens its database before it serves. */
const startMsMax = 300_000;
const pollMs = 500;

export async function check(job: CheckJob, context: AgentContext): Promise<CheckResult> {
  const { endpoint, certificates, expected, scratch } = job;
  const startMs = context.clock.monotonicMs();
  const client = context.connect(certificates === undefined ? undefined : await etcdCredentials(context, certificates));
  const path = join(scratch, 'rehearsal.db');
  try {
    startStep(context, 'waiting for the restored member');
    await untilServing(client, endpoint, context);
    // The member answers reads through its own log, so the data is served and not only present.
    await client.get(endpoint, 'etcd-operator-rehearsal', { signal: context.signal });
    const { sizeBytes, chunks } = await client.snapshot(endpoint, { signal: context.signal });
    await requireSpace(scratch, sizeBytes);
    const step = 'reading the restored member';
    (await writeSnapshot(chunks, path, context, { step, totalBytes: sizeBytes })).finish();
    const { revision, keys, hashKV } = await readFacts(path, { signal: context.signal });
    const differences = [
      ...(revision === expected.revision ? [] : [`the revision is ${revision}, not ${expected.revision}`]),
      ...(keys === expected.keys ? [] : [`there are ${keys} keys, not ${expected.keys}`]),
      ...(expected.hashKV === undefined || hashKV === expected.hashKV
        ? []
        : [`the hash of the keys is ${hashKV}, not ${expected.hashKV}`]),
    ];
    if (differences.length > 0) {
      throw new AgentError(
        'RehearsalMismatch',
        `the restored member differs from the backup: ${differences.join(', ')}`,
      );
    }
    return { ok: true, do: 'check', revision, keys, hashKV, durationMs: context.clock.monotonicMs() - startMs };
  } finally {
    client.close();
    await rm(path, { force: true });
  }
}

async function untilServing(client: EtcdClient, endpoint: EtcdEndpoint, context: AgentContext): Promise<EtcdStatus> {
  const endMs = context.clock.monotonicMs() + startMsMax;
  for (;;) {
    let problem = 'it has no leader';
    try {
      const status = await client.status(endpoint, { signal: context.signal });
      if (status.leaderId !== undefined) return status;
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      problem = error.message;
    }
    context.signal.throwIfAborted();
    if (context.clock.monotonicMs() >= endMs) {
      throw new AgentError('RehearsalNotServing', `the restored member does not serve: ${problem}`, {
        isRetriable: true,
      });
    }
    await sleep(context.clock, pollMs, context.signal);
  }
}
