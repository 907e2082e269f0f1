/** A fleet to measure the operator with: many small services in a registry, and an operator process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ECSMService, type ECSMServiceInput } from '@ecsm/operator';
import type { EmbeddedRegistry } from '@ecsm/runtime';

/** The launcher, because its first line sets the memory flags. */
const launcher = (name: string) => fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));

export function service(number: number): ECSMServiceInput {
  return {
    metadata: { name: `service-${number}` },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['node-1', 'node-2', 'node-3'] },
      template: {
        image: 'telemetry@1.0.0#sylixos',
        command: ['/apps/telemetry'],
        env: [{ name: 'RATE', value: '10' }],
        resources: { limits: { memory: '1Mi', disk: '1Mi' } },
      },
    },
  };
}

/** Creates services concurrently, like `apply` of a directory. */
export async function createServices(registry: EmbeddedRegistry, from: number, to: number): Promise<void> {
  const services = registry.resource(ECSMService);
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  for (let start = 0; start < numbers.length; start += 128) {
    await Promise.all(numbers.slice(start, start + 128).map((number) => services.create(service(number))));
  }
}

export interface RunningOperator {
  readonly child: ChildProcess;
  /** From the start of the process until /readyz succeeds. */
  readonly readyMs: number;
  residentMb(): number;
  /** The peak. */
  residentMbMax(): number;
  cpuMs(): number;
  stop(): Promise<void>;
}

export function startOperator(...flags: readonly string[]): Promise<RunningOperator> {
  return startOperatorIn(undefined, ...flags);
}

/** With this directory for the files that the operator creates. */
export function startOperatorIn(home: string | undefined, ...flags: readonly string[]): Promise<RunningOperator> {
  return startProgram('ecsm-operator', flags, home === undefined ? {} : { ECSM_HOME: home });
}

export async function startProgram(
  name: 'ecsm-operator' | 'etcd-operator',
  flags: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningOperator> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn(launcher(name), ['--listen', `127.0.0.1:${port}`, '--log-level', 'error', ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...variables },
  });
  const ended = once(child, 'exit');
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the operator exited with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const statusMb = (line: RegExp) =>
    Number(line.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
  return {
    child,
    readyMs: performance.now() - startMs,
    residentMb: () => statusMb(/VmRSS:\s+(\d+)/),
    residentMbMax: () => statusMb(/VmHWM:\s+(\d+)/),
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Of all its threads. Linux counts in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
