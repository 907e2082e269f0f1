/** A client of `ecsm-apiserver` with the credentials of the administrator, over connections that can break. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

interface Answer {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of answers
  readonly body: any;
}

export interface WatchLine {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of answers
  readonly object: any;
}

export class AdminClient {
  readonly #server: string;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const text = readFileSync(kubeconfig, 'utf8');
    const field = (name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '';
    const pem = (name: string) => Buffer.from(field(name), 'base64');
    this.#server = field('server');
    this.#agent = new Agent({
      keepAlive: true,
      ca: pem('certificate-authority-data'),
      cert: pem('client-certificate-data'),
      key: pem('client-key-data'),
    });
  }

  /** Returns undefined if the connection broke: whether the request took effect is open. */
  async call(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    try {
      const response = await this.#send(method, path, type, body);
      const chunks: Buffer[] = [];
      for await (const chunk of response) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
      if (!response.complete) return undefined;
      return { code: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) };
    } catch {
      return undefined;
    }
  }

  /** Resolves when the connection has ended, for whatever reason. The last line of a broken one is dropped. */
  async watch(path: string, onLine: (line: WatchLine) => void): Promise<void> {
    try {
      const response = await this.#send('GET', path, 'application/json');
      let rest = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        const parts = (rest + String(chunk)).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) onLine(JSON.parse(part));
      }
    } catch {
      // Resumed by the caller.
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, contentType: string, body?: unknown): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': contentType };
      const sent = request(`${this.#server}${path}`, { method, agent: this.#agent, headers }, resolve);
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
