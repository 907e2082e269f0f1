/**
 * A process node on a registry in memory, and an image for it: the program `server`, a script that serves HTTP on port 8080
 * of its address. `/health` answers with the content of the file `health` beside the program's data, 200 without one.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod, StatefulSet } from '@ecsm/kubernetes';
import { EmbeddedRegistry, type InputOf, MemoryStore } from '@ecsm/runtime';
import { processNodeKinds } from './kinds.ts';
import { type ProcessNodeOptions, startProcessNode } from './process-node.ts';

export const image = 'example.io/server:1';

const server = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const [mode = 'serve', ...files] = process.argv.slice(2);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
if (mode === 'exit') process.exit(Number(files[0]));
if (mode === 'complain') {
  console.error(files.join('\\n'));
  process.exit(1);
}
if (mode === 'append') {
  appendFileSync(files[0], files[1]);
  process.exit(0);
}
if (mode === 'deaf') process.on('SIGTERM', () => {});
else process.on('SIGTERM', () => process.exit(0));
createServer((request, response) => {
  const path = request.url;
  if (path === '/health') response.writeHead(Number(read('health') || 200)).end();
  else if (path === '/environment') response.end(JSON.stringify(process.env));
  else if (path === '/arguments') response.end(JSON.stringify(process.argv.slice(2)));
  else if (path === '/pid') response.end(String(process.pid));
  else response.end(JSON.stringify(files.map(read)));
}).listen(8080, process.env.LISTEN);
`;

const closing: (() => Promise<void>)[] = [];

/** Stops all nodes and removes their files. */
export async function cleanUp(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export function makeImage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'process-node-image-'));
  writeFileSync(join(directory, 'server'), server);
  chmodSync(join(directory, 'server'), 0o755);
  removeLater(directory);
  return directory;
}

/** By `cleanUp`, after the nodes have stopped. */
export function removeLater(directory: string): void {
  closing.push(async () => rmSync(directory, { recursive: true, force: true }));
}

type TestNodeOptions = Partial<ProcessNodeOptions>;

export async function startNode(options: TestNodeOptions = {}) {
  const registry = options.registry ?? new EmbeddedRegistry({ store: new MemoryStore(), kinds: processNodeKinds });
  const images = makeImage();
  const node = await startProcessNode({
    registry,
    binaries: (wanted) => (wanted === image ? images : undefined),
    backoff: { msMin: 100, msMax: 400 },
    ...options,
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await node.stop();
    isStopped = true;
  };
  closing.unshift(async () => {
    await stop();
    if (options.registry === undefined) await registry.close();
  });
  const pods = registry.resource(Pod);
  const ready = async (name: string) => {
    const pod = (await pods.list({ fieldSelector: `metadata.name=${name}` })).items[0];
    return pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ? pod : undefined;
  };
  const ask = async (name: string, path: string): Promise<unknown> => {
    const address = (await pods.get(name)).status?.podIP;
    const response = await fetch(`http://${address}:8080${path}`, { headers: { connection: 'close' } });
    return JSON.parse(await response.text());
  };
  return {
    registry,
    node,
    stop,
    pods,
    ready,
    ask,
    configMaps: registry.resource(ConfigMap),
    secrets: registry.resource(Secret),
    claims: registry.resource(PersistentVolumeClaim),
    sets: registry.resource(StatefulSet),
    status: async (name: string) => (await pods.get(name)).status,
    container: async (name: string) => (await pods.get(name)).status?.containerStatuses?.[0],
  };
}

export type TestNode = Awaited<ReturnType<typeof startNode>>;

type PodSpecInput = InputOf<typeof Pod>['spec'];
type ContainerInput = PodSpecInput['containers'][number];

export const listen = { name: 'LISTEN', value: '0.0.0.0' };

const readinessProbe = { httpGet: { path: '/health', port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 };

export function pod(container: Partial<ContainerInput> = {}, spec: Partial<PodSpecInput> = {}): InputOf<typeof Pod> {
  return {
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'main', image, command: ['server'], env: [listen], readinessProbe, ...container }],
      ...spec,
    },
  };
}
