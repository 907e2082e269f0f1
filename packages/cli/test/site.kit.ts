/**
 * A whole site for tests: a simulated platform that listens, an operator, a registry on disk that both the operator and
 * ecsmctl open, and ecsmctl itself. Time is real.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { httpTransport } from '@ecsm/client';
import { nodeFiles, runProgram } from '@ecsm/command-line';
import { type TestRun, type TestTerminal, type TestTerminalOptions, testTerminal } from '@ecsm/command-line/testing';
import { ECSMService, type ECSMServiceInput, Operator } from '@ecsm/operator';
import { type EmbeddedRegistry, openRegistry, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { type Behaviour, type ProfileName, Simulator } from '@ecsm/simulator';
import { onTestFinished } from 'vitest';
import { ecsmctl } from '../src/ecsmctl/program.ts';
import { wordsOf } from '../src/ecsmctl/shared/registry.kit.ts';
import { knownKinds } from '../src/ecsmctl/shared/session.ts';

/** Enough for a slow machine, and an end for what hangs. */
const patienceMs = 120_000;

export interface Site {
  readonly directory: string;
  readonly url: string;
  readonly simulator: Simulator;
  /** Of the platform. */
  readonly port: number;
  readonly registry: EmbeddedRegistry;
  /** Starts the operator; the returned function stops it. */
  operate(): () => Promise<void>;
  apply(input: ECSMServiceInput): Promise<void>;
  get(name: string): Promise<ECSMService>;
  /** What a person does at the platform: `sim('deployments/fail', { count: 1 })`. */
  sim(path: string, body: object): void;
  run(argv: string, options?: TestTerminalOptions): Promise<TestRun>;
  start(argv: string, options?: TestTerminalOptions): { readonly test: TestTerminal; readonly code: Promise<number> };
  close(): Promise<void>;
}

/** Call it in a test: it ends with that. */
export async function openSite(behaviour?: Partial<Behaviour> | ProfileName): Promise<Site> {
  const site = await startSite(behaviour);
  onTestFinished(() => site.close());
  return site;
}

/** Who starts one closes it. */
export async function startSite(behaviour: Partial<Behaviour> | ProfileName = 'instant', nodes = 3): Promise<Site> {
  const directory = mkdtempSync(join(tmpdir(), 'ecsmctl-site-'));
  const url = `sqlite:${join(directory, 'registry')}`;
  const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(1), nodes, behaviour });
  const server = await simulator.listen({ port: 0 });
  const registry = await openRegistry(url, { kinds: knownKinds });
  const transport = httpTransport({ url: server.url, clock: systemClock });
  const stops = new Set<() => Promise<void>>();
  const start: Site['start'] = (argv, options = {}) => {
    const test = testTerminal({
      nodeFiles: nodeFiles({ here: directory, home: directory }),
      clock: systemClock,
      ...options,
      env: { ECSM_REGISTRY: url, HOME: directory, ...options.env },
    });
    return { test, code: runProgram(ecsmctl, wordsOf(argv), test.terminal) };
  };
  return {
    directory,
    url,
    simulator,
    port: Number(new URL(server.url).port),
    registry,
    start,
    operate() {
      const ending = new AbortController();
      const settings = { observeMs: 200, callTimeoutMs: 2_000, outageMs: 200, plan: { pollMs: 100 } };
      const operator = new Operator({ registry, transport, settings });
      const running = operator.run({ signal: ending.signal });
      const stop = async () => {
        stops.delete(stop);
        ending.abort();
        await running;
      };
      stops.add(stop);
      return stop;
    },
    async apply(input) {
      await registry.resource(ECSMService).apply(input, { force: true });
    },
    get: (name) => registry.resource(ECSMService).get(name),
    sim(path, body) {
      const answer = simulator.handler({
        method: 'POST',
        target: `/sim/${path}`,
        headers: { 'content-type': 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(body)),
      });
      if (answer.status !== 200) throw new Error(new TextDecoder().decode(answer.body));
    },
    async run(argv, options) {
      const { test, code } = start(argv, options);
      return { code: await code, out: test.out.text, err: test.err.text };
    },
    async close() {
      for (const stop of stops) await stop();
      await transport.close();
      await registry.close();
      await simulator.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Goes on until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`it is not so after ${patienceMs} ms`);
    await pause(20);
  }
}

export function telemetry(image: string, spec: Partial<ECSMServiceInput['spec']> = {}): ECSMServiceInput {
  return {
    metadata: { name: 'telemetry' },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas: 2, nodePool: ['node-1', 'node-2', 'node-3'] },
      updateStrategy: { type: 'RollingUpdate' },
      template: { image: `telemetry@${image}#sylixos`, vsoa: { password: 'hunter2' } },
      ...spec,
    },
  };
}
