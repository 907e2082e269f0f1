/** A server on a registry in memory, and a client that shows what goes over the wire. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defineKind,
  EmbeddedRegistry,
  type Kind,
  MemoryStore,
  PriorityClass,
  type Store,
  schema,
  systemClock,
} from '@ecsm/runtime';
import { ConfigMap, Namespace, Secret } from '../kinds/core.ts';
import { Certificates } from '../tls/certificates.ts';
import { ApiServer, type ApiServerOptions } from './server.ts';

const { integer, list, map, object, optional, string, withDefault } = schema;

export const Gadget = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  shortNames: ['gd'],
  categories: ['all'],
  description: 'A gadget for tests.',
  spec: object({
    replicas: withDefault(integer({ minimum: 0, maximum: 100, description: 'Number of instances.' }), 1),
    colour: optional(string({ description: 'Colour of the case.' })),
    options: optional(map(string(), { description: 'Free settings.' })),
    ports: optional(
      list(object({ name: string({ minLength: 1 }), port: integer() }), {
        uniqueBy: 'name',
        description: 'Open ports.',
      }),
    ),
  }),
  status: object({ replicas: optional(integer()), phase: optional(string()) }),
  columns: [
    { name: 'REPLICAS', path: 'spec.replicas' },
    { name: 'COLOUR', path: 'spec.colour', wide: true },
  ],
  scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' },
});

export interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of answers
  readonly body: any;
}

export interface RunningServer {
  readonly url: string;
  readonly registry: EmbeddedRegistry;
  readonly server: ApiServer;
  readonly certificates: Certificates;
  readonly directory: string;
  /** The body of a patch or a write is JSON, unless it is a string or a buffer. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** The first events of a watch. */
  watch(path: string, count: number, headers?: Readonly<Record<string, string>>): Promise<readonly WatchLine[]>;
  close(): Promise<void>;
}

export interface WatchLine {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of answers
  readonly object: any;
}

export const served: readonly Kind[] = [Gadget, Namespace, ConfigMap, Secret, PriorityClass];

export async function startServer(
  options: Partial<Omit<ApiServerOptions, 'registry' | 'credentials'>> & {
    readonly kinds?: readonly Kind[];
    readonly store?: Store;
  } = {},
): Promise<RunningServer> {
  const { kinds = served, store = new MemoryStore(), ...others } = options;
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-apiserver-'));
  const common = { directory, names: ['127.0.0.1'], clock: systemClock };
  const registry = new EmbeddedRegistry({ store, kinds });
  const { server: credentials } = new Certificates({ ...common, server: 'https://127.0.0.1:6443' });
  const server = new ApiServer({ registry, credentials, ...others });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `https://127.0.0.1:${port}`;
  const certificates = new Certificates({ ...common, server: url });
  const agent = new Agent({ keepAlive: true, ca: certificates.authorityPem });
  const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    request(`${url}${path}`, { method, agent, headers });
  return {
    url,
    registry,
    server,
    certificates,
    directory,
    call: (method, path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const isEncoded = typeof body === 'string' || Buffer.isBuffer(body);
        const bytes = isEncoded ? body : body === undefined ? '' : JSON.stringify(body);
        const length = String(Buffer.byteLength(bytes));
        const sent = send(method, path, { 'Content-Type': type, 'Content-Length': length, ...headers });
        sent.on('error', reject);
        sent.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const received = Buffer.concat(chunks).toString();
            const isJson =
              String(response.headers['content-type']).includes('json') && !response.headers['content-encoding'];
            const parsed: unknown = isJson && received !== '' ? JSON.parse(received) : undefined;
            resolve({ code: response.statusCode ?? 0, headers: response.headers, text: received, body: parsed });
          });
          response.on('error', reject);
        });
        sent.end(bytes);
      }),
    watch: (path, count, headers) =>
      new Promise((resolve, reject) => {
        const sent = send('GET', path, headers);
        const lines: WatchLine[] = [];
        let rest = '';
        sent.on('error', (error) => (lines.length >= count ? undefined : reject(error)));
        sent.on('response', (response) => {
          response.on('data', (chunk: Buffer) => {
            const parts = (rest + chunk.toString()).split('\n');
            rest = parts.pop() ?? '';
            for (const part of parts) if (part !== '') lines.push(JSON.parse(part));
            if (lines.length < count) return;
            resolve(lines.slice(0, count));
            sent.destroy();
          });
          response.on('end', () => resolve(lines));
        });
        sent.end();
      }),
    async close() {
      agent.destroy();
      await server.close();
      await registry.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
