/** `ecsm-sim call`: sends one call to a running simulator, for machines without curl. */
import { Buffer } from 'node:buffer';
import { type IncomingMessage, request } from 'node:http';
import { ApiError } from '@ecsm/runtime';

export interface CallCommand {
  readonly method: string;
  /** With the query: `/sim/nodes/node-1/cut`, `/api/v1/service?pageNum=1&pageSize=10`. */
  readonly path: string;
  /** JSON; absent: no body is sent. */
  readonly body?: string;
  /** The URL of the simulator, without a path. */
  readonly url: string;
}

interface CallOutcome {
  readonly status: number;
  /** JSON is indented; other text is unchanged. */
  readonly text: string;
}

const timeoutMs = 30_000;

/** Throws `Unavailable` if the connection fails, `Timeout` if there is no response. */
export async function call({ method, path, body, url }: CallCommand): Promise<CallOutcome> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request(new URL(path, url), { method, headers, timeout: timeoutMs, agent: false }, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new ApiError('Timeout', { what: `${method} ${path}`, timeoutMs })));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ECONNREFUSED' ? 'connection refused; is ecsm-sim running?' : error.message;
      reject(error instanceof ApiError ? error : new ApiError('Unavailable', { what: url, reason }, error));
    });
    outgoing.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return { status: response.statusCode ?? 0, text: readable(Buffer.concat(chunks).toString('utf8')) };
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text.trimEnd();
  }
}
