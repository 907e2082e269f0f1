/** Serves the progress of a job: `GET /progress`. Best effort: an agent works without it. */
import { createServer } from 'node:http';
import type { Log } from '@ecsm/runtime';
import type { Progress } from './context.ts';

const requestMsMax = 5_000;

interface ProgressServer {
  readonly port: number;
  close(): void;
}

/** Undefined if the port cannot be used. Port 0: any free one. */
export function serveProgress(
  progress: Progress,
  port: number,
  log: Log,
  host?: string,
): Promise<ProgressServer | undefined> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'GET' || request.url !== '/progress') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(progress));
  });
  server.requestTimeout = requestMsMax;
  server.maxConnections = 8;
  return new Promise((resolve) => {
    server.once('error', (error) => {
      log.write('warn', 'progress is not served', { reason: error.message });
      resolve(undefined);
    });
    server.listen(port, host, () => {
      const address = server.address();
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ port: typeof address === 'object' && address ? address.port : port, close });
    });
  });
}
