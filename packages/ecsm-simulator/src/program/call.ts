/** `ecsm-sim call`: one call to a simulator that runs, for people and scripts on machines that have no curl. */
import { Buffer } from 'node:buffer';
import { type IncomingMessage, request } from 'node:http';
import { ApiError } from '@ecsm/runtime';

export interface CallCommand {
  readonly method: string;
  /** With the query: `/sim/nodes/node-1/cut`, `/api/v1/service?pageNum=1&pageSize=10`. */
  readonly path: string;
  /** JSON; absent: none is sent. */
  readonly body?: string;
  /** Of the simulator, without a path. */
  readonly url: string;
}

export interface CallOutcome {
  readonly status: number;
  /** JSON is laid out to be read; anything else is as it came. */
  readonly text: string;
}

const timeoutMs = 30_000;

/** Throws `Unavailable` if there is nobody, `Timeout` if nobody answers. */
export async function call({ method, path, body, url }: CallCommand): Promise<CallOutcome> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request(new URL(path, url), { method, headers, timeout: timeoutMs, agent: false }, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new ApiError('Timeout', { what: `${method} ${path}`, timeoutMs })));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ECONNREFUSED' ? 'nobody listens there; is ecsm-sim running?' : error.message;
      reject(error instanceof ApiError ? error : new ApiError('Unavailable', { what: url, reason }, error));
    });
    outgoing.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  return { status: answer.statusCode ?? 0, text: readable(Buffer.concat(chunks).toString('utf8')) };
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text.trimEnd();
  }
}
