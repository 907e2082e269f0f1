/** A terminal for tests: it records the output, returns prepared answers, and its clock stands still. */
import { join, posix } from 'node:path';
import type { Clock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import type { Program } from './command.ts';
import { Failure, Interrupted, OutputClosed, UsageError } from './errors.ts';
import { runProgram } from './run.ts';
import type { Files, OutputStream, Terminal } from './terminal.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TestTerminalOptions {
  /** Absent: the output goes into a pipe. */
  readonly terminal?: TerminalSize | undefined;
  /** Default no, also for a terminal: golden texts are easier to read. */
  readonly coloured?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** One for each question. Without one left there is no answer. */
  readonly answers?: readonly string[];
  /** What the editor makes of a text. */
  readonly editor?: (text: string) => string | Promise<string>;
  /** By absolute path, or relative to `/here`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Real files instead: those of this directory. */
  readonly nodeFiles?: Files;
  readonly clock?: Clock;
  /** Process ids that do not exist. All others do. The machine is `here`. */
  readonly endedProcesses?: readonly number[];
}

export class TestOutput implements OutputStream {
  text = '';
  isClosed = false;
  size: TerminalSize | undefined;
  readonly isColoured: boolean;
  /** Told when something is written after the reader has gone. */
  onClosed: () => void = () => {};

  constructor(size: TerminalSize | undefined, isColoured: boolean) {
    this.size = size;
    this.isColoured = isColoured;
  }

  get isTerminal(): boolean {
    return this.size !== undefined;
  }

  get canRepaint(): boolean {
    return this.size !== undefined;
  }

  get columns(): number | undefined {
    return this.size?.columns;
  }

  get rows(): number | undefined {
    return this.size?.rows;
  }

  write(text: string): void {
    if (this.isClosed) this.onClosed();
    else this.text += text;
  }

  async drained(): Promise<void> {}
}

export interface TestTerminal {
  readonly terminal: Terminal;
  readonly out: TestOutput;
  readonly err: TestOutput;
  readonly clock: VirtualClock;
  /** Ctrl-C. */
  readonly interrupt: (signal?: 'SIGINT' | 'SIGTERM') => void;
  /** What is in the files now. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly questions: readonly string[];
  /** Exit codes passed to `ended`. */
  readonly ended: readonly number[];
}

const encoder = new TextEncoder();

export function testTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const out = new TestOutput(options.terminal, options.coloured ?? false);
  const err = new TestOutput(options.terminal, options.coloured ?? false);
  const stop = new AbortController();
  const clock = new VirtualClock();
  const answers = [...(options.answers ?? [])];
  const questions: string[] = [];
  const ended: number[] = [];
  const contents = new Map<string, Uint8Array>();
  for (const [path, text] of Object.entries(options.files ?? {}))
    contents.set(posix.resolve('/here', path), encoder.encode(text));
  out.onClosed = () => stop.abort(new OutputClosed('the output was closed'));
  const terminal: Terminal = {
    out,
    err,
    env: options.env ?? {},
    clock: options.clock ?? clock,
    signal: stop.signal,
    detail: () => {},
    isVerbose: false,
    async readInput() {
      if (options.input === undefined) throw new UsageError('standard input is a terminal: name a file');
      return typeof options.input === 'string' ? encoder.encode(options.input) : options.input;
    },
    files: options.nodeFiles ?? virtualFiles(contents),
    machine: { hostname: 'here', isRunning: (processId) => !options.endedProcesses?.includes(processId) },
    async ask(question) {
      questions.push(question);
      return answers.shift();
    },
    async edit(text) {
      if (!options.editor) throw new Failure('there is no editor');
      return options.editor(text);
    },
    async ended(exitCode) {
      ended.push(exitCode);
    },
  };
  const interrupt = (signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') => stop.abort(new Interrupted(signal));
  return { terminal, out, err, clock, interrupt, files: contents, questions, ended };
}

export interface TestRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command line, from beginning to end. */
export async function runInTestTerminal(
  program: Program,
  argv: readonly string[],
  options?: TestTerminalOptions,
): Promise<TestRun> {
  const { terminal, out, err } = testTerminal(options);
  const code = await runProgram(program, argv, terminal);
  return { code, out: out.text, err: err.text };
}

function virtualFiles(contents: Map<string, Uint8Array>): Files {
  const at = (path: string) => posix.resolve('/here', path);
  const below = (path: string) => `${at(path) === '/' ? '' : at(path)}/`;
  const isDirectory = (path: string) => [...contents.keys()].some((one) => one.startsWith(below(path)));
  return {
    home: '/home/person',
    here: '/here',
    async read(path) {
      if (isDirectory(path)) throw new Failure(`${path} is a directory`);
      return contents.get(at(path));
    },
    async list(path, { recursive = false } = {}) {
      if (!isDirectory(path)) return undefined;
      return [...contents.keys()]
        .filter((one) => one.startsWith(below(path)))
        .map((one) => one.slice(below(path).length))
        .filter((one) => recursive || !one.includes('/'))
        .map((one) => join(path, one))
        .sort();
    },
    async write(path, content, { exclusive = false } = {}) {
      if (exclusive && contents.has(at(path))) throw new Failure(`${path} already exists and is not overwritten`);
      const chunks: Uint8Array[] = [];
      if (content instanceof Uint8Array) chunks.push(content);
      else for await (const chunk of content) chunks.push(chunk);
      contents.set(at(path), Buffer.concat(chunks));
    },
    async open(path) {
      const bytes = contents.get(at(path));
      if (!bytes) return undefined;
      return {
        sizeBytes: bytes.length,
        chunks: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
}
