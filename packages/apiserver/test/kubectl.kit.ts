/** Unmodified kubectl: on the PATH, in KUBECTL_BIN, or in .tools, where `make test` puts it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedRegistry, Event, Lease, Manager, openRegistry } from '@ecsm/runtime';
import { Gadget } from '../src/http/server.kit.ts';
import { type Serving, startServing } from '../src/http/serving.ts';
import { serverKinds } from '../src/kinds/server-kinds.ts';

const tools = fileURLToPath(new URL('../../../.tools/usr/bin/kubectl', import.meta.url));

/** Undefined, with the reason on the error output, if there is none. */
export function findKubectl(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'kubectl'));
  const found = [process.env['KUBECTL_BIN'] ?? '', tools, ...onPath].find((path) => path !== '' && existsSync(path));
  if (found === undefined) process.stderr.write('skipped: kubectl is neither on the PATH nor in .tools\n');
  return found;
}

export interface KubectlResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs kubectl with a kubeconfig and no other settings of this machine, in the home directory. */
export function kubectlWith(path: string, kubeconfig: string, home: string, more: NodeJS.ProcessEnv = {}) {
  return (line: string, input = ''): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig, ...more };
      const child = execFile(path, wordsOf(line), { cwd: home, env, timeout: 50_000 }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, out, err });
      });
      child.stdin?.end(input);
    });
}

/** Words are separated by spaces; quotes keep a word together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

export interface KubectlServer {
  readonly directory: string;
  readonly registry: EmbeddedRegistry;
  readonly serving: Serving;
  /** As the administrator. */
  run(line: string, input?: string): Promise<KubectlResult>;
  close(): Promise<void>;
}

/** A server with TLS, users and roles on a registry in a directory, as programs run it. */
export async function startKubectlServer(kubectl: string): Promise<KubectlServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-kubectl-'));
  const kinds = [Gadget, Event, Lease, ...serverKinds];
  const registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds });
  const address = { host: '127.0.0.1', port: 0 };
  const serving = await startServing({ registry, address, directory: join(directory, 'pki') });
  const manager = new Manager({ registry });
  for (const runnable of serving.runnables) manager.add(runnable);
  const end = new AbortController();
  const ended = manager.run({ signal: end.signal });
  return {
    directory,
    registry,
    serving,
    run: kubectlWith(kubectl, serving.adminKubeconfig, directory),
    async close() {
      end.abort();
      await ended;
      await registry.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export const gadgetManifest = (replicas: number, colour = 'red') => `
apiVersion: example.io/v1
kind: Gadget
metadata: { name: web, labels: { app: web } }
spec: { replicas: ${replicas}, colour: ${colour}, ports: [{ name: http, port: 80 }] }
`;
