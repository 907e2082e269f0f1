/** Programs as real processes, and a platform and a registry for them. They run what was built, so build first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRegistry, systemClock, systemRandom } from '@ecsm/runtime';
import { Simulator, type SimulatorOptions } from '@ecsm/simulator';
import { onTestFinished } from 'vitest';
import { ECSMService, type ECSMServiceInput } from '../apis/ecsm-service.ts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
export const launcher = join(root, 'bin', 'ecsm-operator');

/** A program that takes longer hangs. */
const runMsMax = 120_000;

export interface Started {
  readonly child: ChildProcess;
  /** Errors and output together. */
  readonly output: () => string;
  readonly ended: Promise<number | null>;
  /** Until its output has this; fails if it ends before. The groups of the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

interface StartOptions {
  readonly file?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function start(argv: readonly string[], { file = launcher, cwd = root, env = {} }: StartOptions = {}): Started {
  const child = spawn(process.execPath, [file, ...argv], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runMsMax,
    killSignal: 'SIGKILL',
  });
  let text = '';
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      notify();
    });
  }
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      isOver = true;
      resolve(code);
      notify();
    });
  });
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(text);
        if (!found && !isOver) return;
        listeners.delete(check);
        if (found) resolve(found);
        else reject(new Error(`it ended without ${pattern}:\n${text}`));
      };
      listeners.add(check);
      check();
    });
  return { child, output: () => text, ended, until };
}

export async function run(argv: readonly string[], options?: StartOptions) {
  const started = start(argv, options);
  const code = await started.ended;
  return { code, output: started.output() };
}

/** A directory, a platform on loopback and a registry in sqlite. */
class Site {
  readonly directory = mkdtempSync(join(tmpdir(), 'ecsm-operator-'));
  readonly registry = `sqlite:${join(this.directory, 'registry')}`;
  readonly simulator: Simulator;
  readonly #started: Started[] = [];
  #url = '';

  constructor(behaviour: SimulatorOptions['behaviour'] = { startMs: 10, pullBytesPerSecond: 1e12 }) {
    this.simulator = new Simulator({ clock: systemClock, random: systemRandom, nodes: 3, behaviour });
  }

  async listen(): Promise<void> {
    this.#url = (await this.simulator.listen()).url;
  }

  get url(): string {
    return this.#url;
  }

  /** The options that name the platform and the registry. */
  get places(): readonly string[] {
    return ['--ecsm', this.#url, '--registry', this.registry];
  }

  start(...argv: string[]): Started {
    const started = start(argv, { cwd: this.directory });
    this.#started.push(started);
    return started;
  }

  async apply(...services: ECSMServiceInput[]): Promise<void> {
    const registry = await openRegistry(this.registry, { kinds: [ECSMService] });
    for (const service of services) await registry.resource(ECSMService).apply(service);
    await registry.close();
  }

  /** Instances that run on the platform. */
  get running(): number {
    const containers = Object.values(this.simulator.platform.snapshot().containers);
    return containers.filter(({ status }) => status === 'running').length;
  }

  /** Calls that could have changed something. */
  get changes(): readonly string[] {
    const calls = this.simulator.journal.entries().filter(({ method }) => method !== 'GET');
    return calls.map(({ endpoint }) => endpoint);
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#started) {
      child.kill('SIGKILL');
      await ended;
    }
    await this.simulator.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Everything of it goes when the test ends. */
export async function openSite(behaviour?: SimulatorOptions['behaviour']): Promise<Site> {
  const site = new Site(behaviour);
  // Not for all tests of a file: files that share a process load this once.
  onTestFinished(() => site.close());
  await site.listen();
  return site;
}

export function telemetry(changes: Partial<ECSMServiceInput['spec']['template']> = {}): ECSMServiceInput {
  return {
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: { name: 'telemetry' },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas: 2, nodePool: ['node-1', 'node-2', 'node-3'] },
      template: { image: 'telemetry@1.0.0#sylixos', ...changes },
    },
  };
}
