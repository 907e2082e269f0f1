/** Waits for a process that a test has started, and collects what it says. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Told everything written so far, whenever there is more. */
export type OnOutput = (text: string, child: ChildProcessWithoutNullStreams) => void;

export async function finished(child: ChildProcessWithoutNullStreams, onOutput: OnOutput = () => {}): Promise<Ran> {
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    onOutput(out + err, child);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
    onOutput(out + err, child);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
