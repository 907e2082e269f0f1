/**
 * `ecsm-apiserver` is killed several times in the middle of concurrent writes, and started again on its registry. Writers
 * note what each object can be: what was acknowledged must be there. Watchers resume at the last version that they have
 * seen, and are compared with the history in the registry.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap } from '@ecsm/apiserver';
import { openRegistry, sleep, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { expect, it, onTestFinished } from 'vitest';
import { AdminClient, type WatchLine } from './apiserver-client.kit.ts';
import { root, type Started, start } from './process.kit.ts';

const kills = 4;
const writers = 6;
const maps = '/api/v1/namespaces/default/configmaps';
const watched = '/api/v1/configmaps';
const isOpen = (code: number | undefined) => code === undefined || code === 503 || code === 504;

/** The server that runs now. It has another port each time. */
class Server {
  client: AdminClient | undefined;
  readonly #directory: string;
  #started: Started | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async start(): Promise<void> {
    const file = join(root, 'bin', 'ecsm-apiserver');
    this.#started = start(['--serve', '127.0.0.1:0'], { file, cwd: this.#directory });
    const [, kubeconfig = ''] = await this.#started.until(/serving the Kubernetes API url=\S+ kubeconfig=(\S+)/);
    this.client = new AdminClient(kubeconfig);
  }

  async kill(): Promise<void> {
    this.#started?.child.kill('SIGKILL');
    await this.#started?.ended;
    this.client?.close();
    this.client = undefined;
  }
}

interface Journal {
  acknowledged: number;
  unknown: number;
  isOver: boolean;
}

/** One object after another: created, patched, deleted. Returns what each can be now; undefined is absent. */
async function write(server: Server, index: number, journal: Journal): Promise<Map<string, Set<string | undefined>>> {
  const possible = new Map<string, Set<string | undefined>>();
  const random = new SeededRandom(index + 1);
  for (let n = 0; !journal.isOver; n++) {
    const { client } = server;
    if (!client) {
      await sleep(systemClock, 5);
      continue;
    }
    const name = `w-${index}-${Math.floor(n / 4)}`;
    const known = possible.get(name) ?? new Set([undefined]);
    possible.set(name, known);
    const isDelete = n % 4 === 3 && random.next() < 0.5;
    const value = isDelete ? undefined : String(n);
    const body = { metadata: { name, labels: { writer: String(index) } }, data: { value } };
    const answer = await (n % 4 === 0
      ? client.call('POST', maps, body)
      : client.call(isDelete ? 'DELETE' : 'PATCH', `${maps}/${name}`, isDelete ? undefined : body));
    if (isOpen(answer?.code)) {
      known.add(value);
      journal.unknown++;
    } else if ((answer?.code ?? 0) < 300) {
      possible.set(name, new Set([value]));
      journal.acknowledged++;
    } else if (![...known].includes(undefined) && answer?.code !== 409) {
      throw new Error(`${name} ${[...known]}: unexpected response ${JSON.stringify(answer)}`);
    }
  }
  return possible;
}

class Watcher {
  readonly seen: string[] = [];
  readonly problems: string[] = [];
  version: string;
  readonly #query: string;

  constructor(version: string, query: string) {
    this.version = version;
    this.#query = query;
  }

  async run(server: Server, journal: Journal): Promise<void> {
    while (!journal.isOver) {
      const path = `${watched}?watch=1&allowWatchBookmarks=1&resourceVersion=${this.version}${this.#query}`;
      await server.client?.watch(path, (line) => this.#receive(line));
      await sleep(systemClock, 5);
    }
  }

  #receive({ type, object }: WatchLine): void {
    if (type === 'ERROR') this.problems.push(JSON.stringify(object));
    else this.version = object.metadata.resourceVersion;
    if (type !== 'ERROR' && type !== 'BOOKMARK') this.seen.push(describe(type, object.metadata));
  }
}

function describe(type: string, { name, resourceVersion }: { name: string; resourceVersion: string }): string {
  return `${type.toUpperCase()} ${name} ${resourceVersion}`;
}

it('loses nothing that it has acknowledged, and watches miss and repeat nothing, when it is killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-apiserver-kill-'));
  const server = new Server(directory);
  onTestFinished(async () => {
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  await server.start();
  const from: string = (await server.client?.call('GET', maps))?.body.metadata.resourceVersion;
  const journal: Journal = { acknowledged: 0, unknown: 0, isOver: false };
  const watchers = ['', '', '&labelSelector=writer%3D1'].map((query) => new Watcher(from, query));
  const watching = watchers.map((watcher) => watcher.run(server, journal));
  const writing = Array.from({ length: writers }, (_, index) => write(server, index, journal));
  const random = new SeededRandom(7);
  for (let n = 0; n <= kills; n++) {
    const target = journal.acknowledged + random.integer(20, 60);
    await expect.poll(() => journal.acknowledged, { interval: 1 }).toBeGreaterThan(target);
    // The writers do not stop for it.
    if (n === kills) break;
    await server.kill();
    await server.start();
  }
  const newest = async () => (await server.client?.call('GET', maps))?.body;
  journal.isOver = true;
  const possible = (await Promise.all(writing)).flatMap((map) => [...map]);
  const list = await newest();
  const values = new Map<string, string>();
  for (const { metadata, data } of list.items) values.set(metadata.name, data.value);
  const lost = possible.filter(([name, known]) => !known.has(values.get(name)));
  expect(lost).toEqual([]);
  expect(possible.length).toBeGreaterThan(kills * 5);
  expect(journal.unknown).toBeGreaterThan(0);

  const end: string = list.metadata.resourceVersion;
  const history = await historyOf(directory, from, end);
  const ofOne = history.filter((line) => line.includes(' w-1-'));
  const expected = [history, history, ofOne];
  await expect.poll(() => watchers.map(({ seen }) => seen.length)).toEqual(expected.map(({ length }) => length));
  await server.kill();
  await Promise.all(watching);
  expect(watchers.map(({ seen }) => seen)).toEqual(expected);
  expect(watchers.flatMap(({ problems }) => problems)).toEqual([]);
}, 120_000);

/** The events in the registry itself, after one version and up to another one. */
async function historyOf(directory: string, from: string, end: string): Promise<string[]> {
  const registry = await openRegistry(`sqlite:${join(directory, '.ecsm', 'registry')}`, { kinds: [ConfigMap] });
  const lines: string[] = [];
  const options = { resourceVersion: from, progress: true };
  for await (const { resourceVersion, events } of registry.resource(ConfigMap).watch(options)) {
    for (const event of events) {
      if (event.type !== 'Problem' && !registry.isNewer(resourceVersion, end))
        lines.push(describe(event.type, event.object.metadata));
    }
    if (!registry.isNewer(end, resourceVersion)) break;
  }
  await registry.close();
  return lines;
}
