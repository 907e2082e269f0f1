/** Asks a worker pod how far it is. Best effort: no answer is no progress, and never an error. */
import { request } from 'node:http';
import { type Clock, isPlainObject } from '@ecsm/runtime';

export interface WorkerProgress {
  readonly step?: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/** Undefined if it does not answer in time, or not with progress. */
export type ReadProgress = (address: string, port: number) => Promise<WorkerProgress | undefined>;

const timeoutMs = 1_000;
const answerBytesMax = 4_096;

export const readProgress: ReadProgress = (address, port) =>
  new Promise((resolve) => {
    // The time of the whole call: that of the connection alone begins again with every byte.
    const signal = AbortSignal.timeout(timeoutMs);
    const call = request({ host: address, port, path: '/progress', signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > answerBytesMax) call.destroy();
      });
      response.on('end', () => resolve(parseProgress(text)));
      response.on('error', () => resolve(undefined));
    });
    call.on('error', () => resolve(undefined));
    call.on('close', () => resolve(undefined));
    call.end();
  });

/** The last answer of the worker of an object. */
export interface ProgressMemory {
  asked: { readonly address: string; readonly atMs: number; readonly answer: WorkerProgress | undefined };
}

export interface ProgressOptions {
  readonly read: ReadProgress;
  readonly port: number;
  /** A worker is asked at most once in this time, and its last answer is returned meanwhile. */
  readonly intervalMs: number;
}

/**
 * The progress of a worker while it runs. It changes all the time: a pass that writes it is followed by another pass because
 * of that write, and would find something to write again.
 */
export async function workerProgress(
  memory: Partial<ProgressMemory>,
  worker: { readonly phase: string; readonly address: string | undefined } | undefined,
  clock: Clock,
  { read, port, intervalMs }: ProgressOptions,
): Promise<WorkerProgress | undefined> {
  const address = worker?.phase === 'Running' ? worker.address : undefined;
  if (address === undefined) return undefined;
  const { asked } = memory;
  const atMs = clock.monotonicMs();
  if (asked?.address === address && atMs - asked.atMs < intervalMs) return asked.answer;
  const answer = await read(address, port);
  memory.asked = { address, atMs, answer };
  return answer;
}

export function parseProgress(text: string): WorkerProgress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value)) return undefined;
  const { step, bytes, totalBytes } = value;
  return {
    ...(typeof step === 'string' ? { step } : {}),
    ...(isCount(bytes) ? { bytes } : {}),
    ...(isCount(totalBytes) ? { totalBytes } : {}),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
