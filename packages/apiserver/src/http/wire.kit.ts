/** Raw connections to a server: a watch that can be cut at any point, and bytes that no HTTP client would send. */
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { RunningServer, WatchLine } from './server.kit.ts';

export interface OpenWatch {
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Resolves when the response starts, or with `ended`. */
  readonly opened: Promise<void>;
  cut(): void;
}

type Origin = Pick<RunningServer, 'url' | 'certificates'>;

/** Calls back for each event. `code` is that of the response. */
export function openWatch(origin: Origin, path: string, onLine: (line: WatchLine, code: number) => void): OpenWatch {
  const sent = request(`${origin.url}${path}`, { agent: false, ca: origin.certificates.authorityPem });
  const ended = new Promise<void>((resolve) => {
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.on('response', (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (sent.destroyed) return;
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          // What arrives after the cut is lost, as on a broken connection.
          if (!sent.destroyed && part !== '') onLine(JSON.parse(part), response.statusCode ?? 0);
        }
      });
      response.on('error', () => resolve());
    });
  });
  const opened = new Promise<void>((resolve) => {
    sent.once('response', () => resolve());
    void ended.then(resolve);
  });
  sent.end();
  return { ended, opened, cut: () => void sent.destroy() };
}

/** A connection with a finished handshake. Errors of the socket end it. */
export function openSocket({ url, certificates }: Origin): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: certificates.authorityPem }, () => {
      socket.removeListener('error', reject);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
