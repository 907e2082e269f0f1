/**
 * A site of real processes: a simulated platform, operators, and a registry in sqlite that this process opens too. All of
 * it is removed when the test ends. The programs run the build output, so build first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type EmbeddedRegistry, Event, findCondition, isApiError, openRegistry } from '@ecsm/runtime';
import type { TestContext } from 'vitest';
import { ECSMService, type ECSMServiceInput } from '../../src/apis/ecsm-service.ts';
import { operatorKinds } from '../../src/apis/kinds.ts';
import { root, type Started, start } from '../../src/program/process.kit.ts';
import { PlatformControl } from './platform.kit.ts';

/** Short, but not zero, so that operations can be interrupted. */
const timings = ['startMs=100', 'stopMs=20', 'deleteMs=50', 'pullBytesPerSecond=1000000000000'];
const timeoutMs = 150_000;
const pollIntervalMs = 20;
const linesShown = 40;

interface Operator extends Started {
  /** URL of its health server. */
  readonly url: string;
}

export class Site {
  readonly directory: string;
  readonly registry: EmbeddedRegistry;
  readonly #platformFlags: readonly string[];
  readonly #programs: Started[] = [];
  #platform: { readonly url: string; readonly program: Started; readonly control: PlatformControl } | undefined;

  constructor(directory: string, registry: EmbeddedRegistry, platformFlags: readonly string[]) {
    this.directory = directory;
    this.registry = registry;
    this.#platformFlags = platformFlags;
  }

  get platform(): PlatformControl {
    return this.#known.control;
  }

  /** On the same port if it ran before. */
  async startPlatform(): Promise<void> {
    const port = this.#platform === undefined ? 0 : new URL(this.#platform.url).port;
    const program = this.#start('ecsm-sim', [
      ...['--listen', `127.0.0.1:${port}`, '--quiet'],
      ...timings.flatMap((timing) => ['--set', timing]),
      ...this.#platformFlags,
    ]);
    const [, url = ''] = await program.until(/listens on (\S+)/);
    this.#platform = { url, program, control: new PlatformControl(url) };
  }

  async stopPlatform(): Promise<void> {
    const { program } = this.#known;
    await ended(program, 'SIGTERM');
  }

  /** Returns when the health server listens. The operator polls the platform every second. */
  async startOperator(...flags: string[]): Promise<Operator> {
    const program = this.#start('ecsm-operator', [
      ...['--registry', `sqlite:${join(this.directory, 'registry')}`, '--ecsm', this.#known.url],
      ...['--listen', '127.0.0.1:0', '--observe-seconds', '1'],
      ...flags,
    ]);
    const [, url = ''] = await program.until(/health server listening url=(\S+)/);
    return { ...program, url };
  }

  async apply(...services: readonly ECSMServiceInput[]): Promise<void> {
    for (const service of services) await this.registry.resource(ECSMService).apply(service);
  }

  /** Returns undefined if it does not exist. */
  async service(name: string): Promise<ECSMService | undefined> {
    try {
      return await this.registry.resource(ECSMService).get(name);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Reasons of events. */
  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.registry.resource(Event).list();
    const events = items.map(Event.fieldsOf).filter(({ involvedObject }) => involvedObject.name === name);
    return events.map(({ reason = '' }) => reason);
  }

  /** Waits until the newest spec of each service is rolled out and available. */
  async untilSettled(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.until(`${name} to settle`, async () => {
        const service = await this.service(name);
        return service !== undefined && isSettled(service) ? service : undefined;
      });
    }
  }

  /** Polls until the result is not undefined, and returns it. */
  async until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
    const startMs = Date.now();
    for (;;) {
      const result = await read();
      if (result !== undefined) return result;
      if (Date.now() - startMs > timeoutMs) throw new Error(`timed out waiting for ${what}\n${this.#outputs()}`);
      await wait(pollIntervalMs);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => ended(program, 'SIGKILL')));
    await this.registry.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  get #known() {
    if (this.#platform === undefined) throw new Error('the platform has not been started yet');
    return this.#platform;
  }

  #start(name: string, argv: readonly string[]): Started {
    const program = start(argv, { file: join(root, 'bin', name), cwd: this.directory });
    this.#programs.push(program);
    return program;
  }

  #outputs(): string {
    return this.#programs.map(({ output }) => output().split('\n').slice(-linesShown).join('\n')).join('\n--\n');
  }
}

/** Opens a site with a running platform, closed when the test ends. Several sites can run in parallel. */
export async function openSite(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  ...platformFlags: string[]
): Promise<Site> {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-e2e-'));
  const registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds: operatorKinds });
  const site = new Site(directory, registry, platformFlags);
  onTestFinished(() => site.close());
  await site.startPlatform();
  return site;
}

/** Returns the exit code, or null if a signal ended the program. */
export async function ended({ child, ended: end }: Started, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  child.kill(signal);
  return end;
}

export function isSettled({ metadata, status }: ECSMService): boolean {
  const is = (type: string) => findCondition(status?.conditions, type);
  return (
    status?.observedGeneration === metadata.generation &&
    is('Available')?.status === 'True' &&
    is('Progressing')?.reason === 'Complete' &&
    is('Degraded')?.status === 'False' &&
    status.unavailableReplicas === 0
  );
}

interface ServiceOptions {
  readonly image?: string;
  readonly replicas?: number;
  readonly rolling?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** A dynamic service on three nodes, updated in place unless `rolling`. */
export function serviceInput(
  name: string,
  { image, replicas = 2, rolling = false, env = {} }: ServiceOptions = {},
): ECSMServiceInput {
  return {
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas, nodePool: ['node-1', 'node-2', 'node-3'] },
      updateStrategy: { type: rolling ? 'RollingUpdate' : 'InPlace' },
      template: {
        image: image ?? 'telemetry@1.0.0#sylixos',
        env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
        // Several instances must fit on one node.
        resources: { limits: { memory: '64Mi' } },
      },
    },
  };
}
