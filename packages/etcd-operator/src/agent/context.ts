/** What every job of an agent uses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Log, Random } from '@ecsm/runtime';
import type { ConnectEtcd, EtcdCredentials } from '../client/etcd/contract.ts';
import type { BackupStorageClient, Destination, S3Credentials } from '../client/storage/contract.ts';
import { openStorage } from '../client/storage/open.ts';
import { type EncryptionKey, parseEncryptionKey } from '../snapshot/encryption.ts';
import { AgentError, systemCode } from './failure.ts';
import { tlsFiles } from './job.ts';

/** Where the secrets of a pod are mounted. */
export const secretsDirectory = '/etc/agent';

export interface Progress {
  step: string;
  bytes: number;
  totalBytes: number;
}

export interface AgentContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly connect: ConnectEtcd;
  /** Default: `/etc/agent`. */
  readonly secrets: string;
  /** Changed by the job while it runs. */
  readonly progress: Progress;
}

export function startStep(context: AgentContext, step: string, totalBytes = 0): void {
  Object.assign(context.progress, { step, bytes: 0, totalBytes });
  context.log.write('info', step, totalBytes === 0 ? {} : { totalBytes });
}

/** From a directory, by default that of the pod's Secret. */
export async function etcdCredentials(
  { secrets }: AgentContext,
  directory = join(secrets, 'tls'),
): Promise<EtcdCredentials> {
  const read = async (name: string) => text(await readSecret(directory, name));
  const { ca, cert, key } = tlsFiles;
  return { ca: await read(ca), cert: await read(cert), key: await read(key) };
}

export async function encryptionKey({ secrets }: AgentContext): Promise<EncryptionKey> {
  const content = await readSecret(join(secrets, 'encryption'), 'key');
  if (content) return parseEncryptionKey(content);
  throw new AgentError(
    'MissingSecret',
    'the Secret of the encryption does not have the key that keySecret.key names; add it',
  );
}

/** Credentials are read again for each request, so that rotated ones are used. */
export async function storageOf(destination: Destination, context: AgentContext): Promise<BackupStorageClient> {
  const { clock, random, secrets } = context;
  if (destination.type === 'Volume') return openStorage(destination, { clock, random });
  const ca = await readSecret(join(secrets, 's3-ca'), 'ca.crt');
  const credentials = async (): Promise<S3Credentials> => {
    const [accessKeyId, secretAccessKey, sessionToken] = await Promise.all(
      ['accessKeyId', 'secretAccessKey', 'sessionToken'].map((name) => readSecret(join(secrets, 's3'), name)),
    );
    if (!accessKeyId || !secretAccessKey) {
      throw new AgentError(
        'MissingSecret',
        'the Secret of the store does not have the keys that credentialsSecret names; add them',
      );
    }
    const token = text(sessionToken);
    return {
      accessKeyId: text(accessKeyId),
      secretAccessKey: text(secretAccessKey),
      ...(token === '' ? {} : { sessionToken: token }),
    };
  };
  await credentials();
  return openStorage(destination, { clock, random, credentials, ...(ca ? { ca: text(ca) } : {}) });
}

async function readSecret(directory: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(directory, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function text(content: Buffer | undefined): string {
  return content?.toString('utf8').trim() ?? '';
}
