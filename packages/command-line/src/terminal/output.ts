/** Standard output and standard error: what happens when they are closed, and what their terminal can do. */
import process from 'node:process';
import { Failure, OutputClosed } from '../command/errors.ts';
import type { OutputStream } from '../command/terminal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface OutputOptions {
  readonly name: 'stdout' | 'stderr';
  readonly env: Environment;
  /** Aborts when the program is to end: `drained` then waits no longer. */
  readonly signal: AbortSignal;
  /** Called when nothing can be written any more. */
  readonly onEnd: (reason: OutputClosed | Failure) => void;
}

/** The size of a terminal that does not report one, such as some consoles and test tools. */
const columnsDefault = 80;
const rowsDefault = 24;

/** The stream is opened when it is first needed: not every command writes to both. */
export function processOutput({ name, env, signal, onEnd }: OutputOptions): OutputStream {
  let opened: NodeJS.WriteStream | undefined;
  let isClosed = false;
  let failure: Failure | undefined;
  const fail = (error: unknown) => {
    if (isClosed) return;
    isClosed = true;
    if (isOutputClosed(error)) return onEnd(new OutputClosed('the output is closed'));
    const what = name === 'stdout' ? 'standard output' : 'standard error';
    const reason = error instanceof Error ? error.message : String(error);
    failure = new Failure(`${what} cannot be written: ${reason}`, { cause: error });
    onEnd(failure);
  };
  const stream = () => {
    if (opened) return opened;
    opened = process[name];
    opened.on('error', fail);
    return opened;
  };
  const size = (own: number | undefined, fallback: number) => (stream().isTTY ? own || fallback : undefined);
  return {
    write(text) {
      if (isClosed || text === '') return;
      try {
        stream().write(text);
      } catch (error) {
        fail(error);
      }
    },
    async drained() {
      if (failure) throw failure;
      if (!opened || isClosed || signal.aborted) return;
      const target = opened;
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          target.off('close', done);
          resolve();
        };
        signal.addEventListener('abort', done, { once: true });
        target.once('close', done);
        target.write('', done);
      });
      if (failure) throw failure;
    },
    get isTerminal() {
      return stream().isTTY === true;
    },
    get isColoured() {
      return mayColour(stream().isTTY === true, env);
    },
    get canRepaint() {
      return stream().isTTY === true && env['TERM'] !== 'dumb';
    },
    get columns() {
      return size(stream().columns, columnsDefault);
    },
    get rows() {
      return size(stream().rows, rowsDefault);
    },
    get isClosed() {
      return isClosed;
    },
  };
}

function isOutputClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}

/** NO_COLOR overrides everything; an empty one counts as not set, and `FORCE_COLOR=0` does not force. */
export function mayColour(isTerminal: boolean, env: Environment): boolean {
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
