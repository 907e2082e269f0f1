/** An agent in a directory: its secrets, its scratch and its volume. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock, systemRandom } from '@ecsm/runtime';
import type { EtcdCredentials, EtcdEndpoint } from '../client/etcd/contract.ts';
import { connectGrpc } from '../client/etcd/gateway.ts';
import type { AgentContext } from './context.ts';
import type { AgentJob, AgentResult, BackupJob, CheckJob, FetchJob } from './job.ts';
import { runJob } from './run.ts';

export const encryptionKeyText = 'ab'.repeat(32);

export class AgentBench {
  readonly directory = mkdtempSync(join(tmpdir(), 'ecsm-agent-'));
  readonly scratch = join(this.directory, 'scratch');
  readonly volume = join(this.directory, 'volume');
  readonly destination = { type: 'Volume', directory: this.volume, path: 'etcd' } as const;

  /** Added to the time of the clock. */
  advanceMs = 0;

  constructor(credentials?: EtcdCredentials) {
    mkdirSync(this.scratch);
    mkdirSync(this.volume);
    this.secret('encryption', 'key', encryptionKeyText);
    if (!credentials) return;
    this.secret('tls', 'ca.crt', credentials.ca);
    this.secret('tls', 'tls.crt', credentials.cert);
    this.secret('tls', 'tls.key', credentials.key);
  }

  secret(folder: string, name: string, content: string): void {
    mkdirSync(join(this.directory, 'secrets', folder), { recursive: true });
    writeFileSync(join(this.directory, 'secrets', folder, name), content);
  }

  run(job: AgentJob, changes: Partial<AgentContext> = {}): Promise<AgentResult> {
    const context: AgentContext = {
      clock: { ...systemClock, now: () => systemClock.now() + this.advanceMs },
      random: systemRandom,
      log: silentLog,
      signal: new AbortController().signal,
      connect: connectGrpc(systemClock),
      secrets: join(this.directory, 'secrets'),
      progress: { step: '', bytes: 0, totalBytes: 0 },
      ...changes,
    };
    return runJob(JSON.stringify(job), job.do, context);
  }

  backupJob(endpoints: readonly EtcdEndpoint[], name: string, changes: Partial<BackupJob> = {}): BackupJob {
    return {
      do: 'backup',
      endpoints,
      tls: false,
      destination: this.destination,
      keyBase: `default/main/${name}`,
      compression: 'none',
      isEncrypted: false,
      scratch: this.scratch,
      source: { namespace: 'default', cluster: 'main', clusterUid: 'c', clusterId: '', backup: name, backupUid: name },
      ...changes,
    };
  }

  fetchJob(key: string, changes: Partial<FetchJob> = {}): FetchJob {
    return {
      do: 'fetch',
      destination: this.destination,
      key,
      etcdVersion: '3.5.16',
      into: join(this.directory, 'restore', 'snapshot.db'),
      isEncrypted: false,
      freeFactor: 2,
      ...changes,
    };
  }

  checkJob(endpoint: EtcdEndpoint): CheckJob {
    return { do: 'check', endpoint, scratch: this.scratch, expected: { revision: '1', keys: 0 } };
  }

  /** Of a stored object. */
  file(key: string): string {
    return join(this.volume, 'etcd', key);
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
