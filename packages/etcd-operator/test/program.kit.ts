/** The program as a real process, and an API server with users, roles and an audit log for it. Build first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToken, kubeconfigFor, RegistryTokens, serverKinds, startServing } from '@ecsm/apiserver';
import { EmbeddedRegistry, Manager, MemoryStore, systemClock } from '@ecsm/runtime';
import { onTestFinished } from 'vitest';
import { allKinds } from './world.kit.ts';

const launcher = fileURLToPath(new URL('../../../bin/etcd-operator', import.meta.url));
/** A program that takes longer hangs. */
const runMsMax = 500_000;

interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
  /** Resolves when the error output matches; rejects if the program ends before. */
  until(pattern: RegExp): Promise<void>;
}

export function startProgram(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, [launcher, ...argv], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runMsMax,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  const check = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
      for (const one of check) one();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const one = () => {
        if (!pattern.test(texts.stderr)) return;
        check.delete(one);
        resolve();
      };
      check.add(one);
      one();
      void ended.then(() => reject(new Error(`it ended without ${pattern}:\n${texts.stderr}`)));
    });
  return { child, out: () => texts.stdout, err: () => texts.stderr, ended, until };
}

export async function runProgram(argv: readonly string[], env?: Readonly<Record<string, string>>) {
  const { ended, out, err } = startProgram(argv, env);
  const code = await ended;
  return { code, out: out(), err: err() };
}

export interface AuditLine {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
  readonly responseStatus: { readonly code: number };
}

/** Everything of it is removed when the test ends. */
export async function openSite() {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-operator-program-'));
  const kinds = [...new Set([...allKinds, ...serverKinds])];
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds });
  const auditFile = join(directory, 'audit.log');
  const pki = join(directory, 'pki');
  const serving = await startServing({ registry, address: { host: '127.0.0.1', port: 0 }, directory: pki, auditFile });
  const manager = new Manager({ registry });
  for (const runnable of serving.runnables) manager.add(runnable);
  const end = new AbortController();
  const ended = manager.run({ signal: end.signal });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      end.abort();
      await ended;
      await registry.close();
    })();
    return closed;
  };
  onTestFinished(async () => {
    await close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    registry,
    directory,
    kubeconfig: serving.adminKubeconfig,
    /** The kubeconfig of a user with a token. */
    async kubeconfigOf(user: string): Promise<string> {
      const { token } = await createToken(new RegistryTokens(registry), systemClock, { user });
      const file = join(directory, 'user.kubeconfig');
      const caPem = readFileSync(join(pki, 'ca.crt'), 'utf8');
      writeFileSync(file, kubeconfigFor({ server: serving.url, caPem, user, token }));
      return file;
    },
    /** Stops the server, and returns what it was asked. */
    async audit(): Promise<readonly AuditLine[]> {
      await close();
      const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n');
      return lines.map((line): AuditLine => JSON.parse(line));
    },
  };
}
