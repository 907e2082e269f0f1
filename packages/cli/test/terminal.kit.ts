/**
 * A person at a terminal: a shell in a pseudo-terminal of util-linux' `script`, in which lines are typed one after the
 * other. The prompt tells the exit code of the line before, so nobody has to ask for it.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Screen } from '@ecsm/command-line/testing';

/** `script` gives a program a terminal. Debian has it in its base. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0;

/** A line that takes longer hangs. */
const lineMsMax = 180_000;
const endMsMax = 60_000;

interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** What one line has led to. */
export interface Seen {
  readonly code: number;
  /** What is on the screen in the end, below the line. */
  readonly text: string;
  /** Everything that was sent to the terminal. */
  readonly raw: string;
  readonly isColoured: boolean;
  readonly isRepainted: boolean;
  readonly isCursorShown: boolean;
}

const prompt = /person:(\d+)> $/;

export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  readonly #columns: number;
  /** Since the last line was typed. */
  #raw = '';
  #isOver = false;
  #look = () => {};

  private constructor(child: ChildProcessWithoutNullStreams, columns: number) {
    this.#child = child;
    this.#columns = columns;
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#raw += chunk;
      this.#look();
    });
    this.#ended = once(child, 'close').then(() => {
      this.#isOver = true;
      this.#look();
    });
  }

  static async open({ cwd, env, columns = 140, rows = 40 }: TerminalOptions): Promise<Terminal> {
    const shell = 'exec bash --norc --noprofile --noediting -i';
    const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${shell}`, '/dev/null'], {
      cwd,
      env: { ...env, PS1: 'person:$?> ', HISTFILE: '' },
    });
    const terminal = new Terminal(child, columns);
    await terminal.until(prompt);
    return terminal;
  }

  /** Types a line, and waits for the prompt. Meanwhile `act` may do what a person does who watches. */
  async type(line: string, act: () => Promise<void> = async () => {}): Promise<Seen> {
    this.#raw = '';
    this.press(`${line}\n`);
    await act();
    await this.until(prompt);
    const raw = this.#raw.replace(`${line}\r\n`, '').replace(prompt, '');
    const { text, isColoured, isRepainted, isCursorShown } = new Screen(this.#columns).feed(raw);
    const code = Number(prompt.exec(this.#raw)?.[1]);
    return { code, text, raw, isColoured, isRepainted, isCursorShown };
  }

  /** Keys, as they are: `\u0003` is Ctrl-C. */
  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** What is on the screen now, below the line that was typed last. */
  get text(): string {
    return new Screen(this.#columns).feed(this.#raw).text;
  }

  /** Waits until the screen shows this. */
  async until(pattern: RegExp): Promise<void> {
    const isSo = () => pattern.test(this.text) || pattern.test(this.#raw);
    const so = await new Promise<boolean>((resolve) => {
      const deadline = setTimeout(() => done(false), lineMsMax);
      const done = (result: boolean) => {
        clearTimeout(deadline);
        this.#look = () => {};
        resolve(result);
      };
      this.#look = () => {
        if (isSo()) done(true);
        else if (this.#isOver) done(false);
      };
      this.#look();
    });
    if (!so) throw new Error(`the terminal never showed ${pattern}, but:\n${this.text}`);
  }

  /** The shell ends, and the terminal with it. What hangs is interrupted first. */
  async close(): Promise<void> {
    this.press('\u0003');
    this.press('exit\n');
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), endMsMax);
    await this.#ended;
    clearTimeout(deadline);
  }
}
