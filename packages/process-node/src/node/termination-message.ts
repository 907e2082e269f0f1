/** The message of a container about its end: a file that it writes, or the end of its log. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Container } from '@ecsm/kubernetes';
import { type Rewrite, rewriter } from './rewrite.ts';

/** The limits of kubelet. */
const messageBytesMax = 4_096;
const logBytesMax = 2_048;
const logLinesMax = 80;

export function messagePathOf({ terminationMessagePath }: Container): string {
  return terminationMessagePath ?? '/dev/termination-log';
}

/** Also replaces the path of the message, which is a file of its own in each container. */
export function withPath(rewrite: Rewrite, mountPath: string, target: string): Rewrite {
  const own = rewriter([{ mountPath, target }], '0.0.0.0');
  return (text) => rewrite(own(text));
}

/** `logFile` is read if the message is empty. */
export function terminationMessage(file: string, logFile: string | undefined): string | undefined {
  const message = endOf(file, messageBytesMax, 'start');
  if (message !== '' || logFile === undefined) return message === '' ? undefined : message;
  const lines = endOf(logFile, logBytesMax, 'end').trimEnd().split('\n').slice(-logLinesMax).join('\n');
  return lines === '' ? undefined : lines;
}

function endOf(file: string, bytesMax: number, part: 'start' | 'end'): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, bytesMax));
    const length = readSync(descriptor, buffer, 0, buffer.length, part === 'start' ? 0 : size - buffer.length);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
