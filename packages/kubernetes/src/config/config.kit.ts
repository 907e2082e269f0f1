/** Kubeconfig files in a temporary directory. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isApiError } from '@ecsm/runtime';
import { clientCertificate, clientKey } from './certificates.kit.ts';

const directories: string[] = [];

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ecsm-kubeconfig-'));
  directories.push(directory);
  return directory;
}

export async function removeDirectories(): Promise<void> {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
}

/** Writes files and returns their directory. */
export async function files(contents: Readonly<Record<string, string | object>>): Promise<string> {
  const directory = await temporaryDirectory();
  for (const [name, content] of Object.entries(contents)) {
    await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

export interface ConfigFields {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

/** A kubeconfig with one context. */
export function oneContext({ cluster, user, context }: ConfigFields = {}, name = 'one'): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name, user: user ?? { token: 'secret-token' } }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  };
}

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const certificateFields = {
  'client-certificate-data': base64(clientCertificate),
  'client-key-data': base64(clientKey),
};

export async function failure(promise: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await promise;
  } catch (error) {
    if (isApiError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}
