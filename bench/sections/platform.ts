/**
 * The client, compared with a plain `fetch` of the same bytes in alternating rounds, with a simulator in another process;
 * calls and bytes for a whole fleet; and the simulator with a large fleet.
 */
import { connect, Recorder } from '@ecsm/client';
import { deliver, type Measurement, median } from '../report.ts';
import { startSimulator } from '../simulator.ts';
import { rate } from '../thing.ts';

const rounds = 7;
const measurements: Measurement[] = [];

async function count(rows: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _ of rows) found++;
  return found;
}

async function compare(url: string): Promise<void> {
  const { ecsm, close } = connect({ url, connectionsMax: 16 });
  const pages = [
    { rows: 1, what: 'one row' },
    { rows: 100, what: '100 rows' },
  ];
  for (const { rows, what } of pages) {
    for (const concurrency of [1, 16]) {
      const calls = rows === 1 ? 3000 : 400;
      const target = `${url}/api/v1/service?pageNum=1&pageSize=${rows}`;
      const plain = async () => (await fetch(target)).json();
      const ours = () => ecsm.services().page(1, rows);
      const rates: [number, number][] = [];
      // The first round is a warm-up.
      for (let round = 0; round <= rounds; round++) {
        const fetched = await rate(calls, concurrency, plain);
        const called = await rate(calls, concurrency, ours);
        if (round > 0) rates.push([called, fetched]);
      }
      const ratio = median(rates.map(([called, fetched]) => called / fetched));
      const value = median(rates.map(([called]) => called));
      measurements.push({
        name: `client, a page of ${what}, ${concurrency} concurrent`,
        value,
        unit: 'calls per second',
        beside: { name: 'plain fetch and JSON', value: value / ratio },
        bar: { text: 'at least 0.7 of plain fetch', met: ratio >= 0.7 },
      });
    }
  }
  close();
}

async function observe(url: string): Promise<void> {
  const recorder = new Recorder();
  const { ecsm, close } = connect({ url, recorder });
  const ids: string[] = [];
  for await (const { id } of ecsm.services().list()) ids.push(id);
  const containers = await count(ecsm.containers().ofServices(ids));
  if (ids.length !== 1000 || containers !== 3000) throw new Error(`${ids.length} services, ${containers} containers`);
  const { calls, bytesUp, bytesDown } = recorder.totals();
  const everything = async (path: string) => (await (await fetch(`${url}/api/v1${path}`)).arrayBuffer()).byteLength;
  const nodeIds = (await ecsm.nodes().page(1, 100)).list.map(({ id }) => `nodeIds%5B%5D=${id}`).join('&');
  const bodies =
    (await everything('/service?pageNum=1&pageSize=-1')) +
    (await everything(`/container/node?pageNum=1&pageSize=-1&${nodeIds}`));
  measurements.push(
    { name: 'list 1,000 services and their 3,000 containers', value: calls, unit: 'calls' },
    {
      name: 'the same, received',
      value: bytesDown / 1024,
      unit: 'KB',
      beside: { name: 'two responses with all rows', value: bodies / 1024 },
    },
    { name: 'the same, sent', value: bytesUp / 1024, unit: 'KB' },
  );
  close();
}

async function largest(): Promise<void> {
  const simulator = await startSimulator('--nodes', '1000', '--services', '10000', '--profile', 'instant');
  const { ecsm, close } = connect({ url: simulator.url, deadlineMs: 120_000, timeoutMs: 60_000 });
  // The number of nodes that fits into one request.
  const nodeIds = (await ecsm.nodes().page(1, 200)).list.map(({ id }) => `nodeIds%5B%5D=${id}`).join('&');
  const page = async (pageNum: number) => {
    const target = `${simulator.url}/api/v1/container/node?pageNum=${pageNum}&pageSize=1000&${nodeIds}`;
    const start = performance.now();
    const response = await fetch(target);
    const body: { data: { list: unknown[]; total: number } } = JSON.parse(await response.text());
    const tookMs = performance.now() - start;
    if (body.data.list.length !== 1000 || body.data.total < 3000) throw new Error('unexpected page');
    return { tookMs, body };
  };
  const times: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < 30; round++) {
    const { tookMs, body } = await page(1 + (round % 3));
    times.push(tookMs);
    const start = performance.now();
    JSON.parse(JSON.stringify(body));
    plain.push(performance.now() - start);
  }
  measurements.push(
    {
      name: 'simulator: page of 1,000 of 30,000 containers',
      value: median(times),
      unit: 'ms',
      beside: { name: 'JSON round trip', value: median(plain) },
      bar: { text: 'under 50 ms', met: median(times) < 50 },
    },
    {
      name: 'simulator: resident, 1,000 nodes, 10,000 services',
      value: simulator.residentMb(),
      unit: 'MB',
    },
  );
  close();
  await simulator.stop();
}

const simulator = await startSimulator('--nodes', '30', '--services', '1000', '--profile', 'instant');
await compare(simulator.url);
await observe(simulator.url);
await simulator.stop();
await largest();
deliver(measurements);
