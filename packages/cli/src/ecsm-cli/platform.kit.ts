/** A simulated platform on a real port, and the program in a test terminal. */
import type { Server } from 'node:http';
import type { ServiceBody } from '@ecsm/client';
import { type Command, runProgram } from '@ecsm/command-line';
import {
  goldenHead,
  goldenOutput,
  type TestRun,
  type TestTerminal,
  type TestTerminalOptions,
  testTerminal,
} from '@ecsm/command-line/testing';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type ProfileName, Simulator } from '@ecsm/simulator';
import { onTestFinished } from 'vitest';
import { kinds } from './kinds.ts';
import { ecsmCli } from './program.ts';
import { loadResource } from './resource.ts';

/** Replaces the URL with its random port in golden files. */
const shownUrl = 'http://127.0.0.1:30001';

/** Virtual time that passes per real `turnMs`, with `isQuick`. */
const stepMs = 200;
const turnMs = 8;

/** Advances virtual time, at most 25 times as fast as real time. */
function running(clock: VirtualClock): () => void {
  let isOver = false;
  const turn = async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, turnMs));
      await clock.advance(stepMs);
    }
  };
  void turn();
  return () => {
    isOver = true;
  };
}

async function loadAllModules(): Promise<void> {
  const loads = (commands: readonly Command[]): readonly Promise<unknown>[] =>
    commands.flatMap(({ load, commands: below = [] }) => [...(load ? [load()] : []), ...loads(below)]);
  await Promise.all([...loads(ecsmCli.commands), ...kinds.map(loadResource), import('./usage.ts'), import('yaml')]);
}

export interface Kit {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly url: string;
  /** Runs one command line to its end; URLs are shown as `shownUrl`. */
  run(argv: readonly string[] | string, options?: TestTerminalOptions): Promise<TestRun>;
  /** Starts one command line without waiting for its end. */
  start(argv: readonly string[], options?: TestTerminalOptions): TestTerminal & { readonly exit: Promise<number> };
  shown(text: string): string;
}

interface KitOptions {
  readonly nodes?: number;
  readonly behaviour?: ProfileName;
  /** Virtual time advances, for the simulator and the program. */
  readonly isQuick?: boolean;
}

/** Closed at the end of the test. */
export async function simulated({ nodes = 3, behaviour = 'instant', isQuick = false }: KitOptions = {}): Promise<Kit> {
  // Loading modules on first use would otherwise take virtual minutes.
  if (isQuick) await loadAllModules();
  const clock = new VirtualClock();
  const simulator = new Simulator({ clock, random: new SeededRandom(1), nodes, behaviour });
  const { url } = await simulator.listen();
  const stop = isQuick ? running(clock) : () => {};
  onTestFinished(async () => {
    stop();
    await simulator.close();
  });
  const shown = (text: string) => text.replaceAll(url, shownUrl);
  const terminalOf = (options: TestTerminalOptions) =>
    testTerminal({ clock, ...options, env: { ECSMCLI_URL: url, ...options.env } });
  return {
    simulator,
    clock,
    url,
    shown,
    async run(line, options = {}) {
      const argv = typeof line === 'string' ? argumentsOf(line) : line;
      const { terminal, out, err } = terminalOf(options);
      const code = await runProgram(ecsmCli, argv, terminal);
      return { code, out: shown(out.text), err: shown(err.text) };
    },
    start(argv, options = {}) {
      const test = terminalOf(options);
      return { ...test, exit: runProgram(ecsmCli, argv, test.terminal) };
    },
  };
}

/** Splits a line into arguments as a shell does, as far as the examples need it. */
export function argumentsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}

interface ServiceOptions {
  readonly image?: string;
  readonly nodes?: readonly string[];
  readonly factor?: number;
  readonly env?: readonly string[];
  readonly vsoa?: { readonly password?: string };
}

export function serviceBody(name: string, options: ServiceOptions = {}): ServiceBody & { image: { config: object } } {
  const { image = 'telemetry@1.0.0#sylixos', nodes = ['node-1', 'node-2'], factor, env, vsoa } = options;
  return {
    name,
    image: {
      ref: image,
      action: 'run',
      autoUpgrade: 'Never',
      config: env ? { process: { args: ['/apps/x'], env } } : {},
      ...(vsoa && { vsoa }),
    },
    node: { names: nodes },
    ...(factor === undefined ? { policy: 'static' as const } : { policy: 'dynamic' as const, factor }),
  };
}

/** Creates a service through the API. */
export async function createService(kit: Kit, name: string, options: ServiceOptions = {}): Promise<void> {
  const data = JSON.stringify(serviceBody(name, options));
  const { code, err } = await kit.run(['raw', 'POST', '/service', '-d', data]);
  if (code !== 0) throw new Error(err);
}

/** The owner mark of the operator, in the environment of a service. */
export const markOf = (namespace: string, name: string) => [
  `ECSM_OWNER=registry-1/${namespace}/${name}/uid-1`,
  'ECSM_REVISION=abc',
];

/** Returns the URL of the server, which is closed at the end of the test. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Command lines with their output. */
export async function transcript(kit: Kit, lines: readonly (string | TranscriptLine)[]): Promise<string> {
  const parts: string[] = [];
  for (const entry of lines) {
    const { line, ...options } = typeof entry === 'string' ? { line: entry } : entry;
    const ran = await kit.run(line.replace(/^ecsm-cli /, ''), options);
    parts.push(goldenHead(line, options.terminal), goldenOutput(ran));
  }
  return parts.join('\n');
}

export interface TranscriptLine extends TestTerminalOptions {
  readonly line: string;
}
