/**
 * The operator process: time from an apply in another process to the first platform call, resident memory, and start
 * time, compared with an empty Node.js process.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ECSMService, operatorKinds } from '@ecsm/operator';
import { openRegistry, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { endpointOf } from '../api-servers.ts';
import { createServices, service, startOperator, startOperatorIn } from '../fleet.ts';
import { deliver, type Measurement, median, percentile } from '../report.ts';
import { startSimulator } from '../simulator.ts';
import { inScratch } from '../thing.ts';
import { Wire } from '../wire.ts';

const measurements: Measurement[] = [];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function firstCall(): Promise<void> {
  await inScratch(async (directory) => {
    const url = `sqlite:${join(directory, 'registry')}`;
    const called = new Map<string, number>();
    // In this process, so that both times are read from one clock.
    const simulator = new Simulator({
      clock: systemClock,
      random: new SeededRandom(1),
      behaviour: 'instant',
      nodes: 3,
      log: {
        write: (_level, message) => {
          if (message.startsWith('POST /api/v1/service')) called.set('last', performance.now());
        },
      },
    });
    const server = await simulator.listen({ port: 0 });
    const registry = await openRegistry(url, { kinds: operatorKinds });
    const operator = await startOperator('--registry', url, '--ecsm', server.url);
    const times: number[] = [];
    const writes: number[] = [];
    for (let number = 0; number < 320; number++) {
      called.clear();
      const startMs = performance.now();
      await registry.resource(ECSMService).create(service(number));
      const wroteMs = performance.now() - startMs;
      while (!called.has('last')) await new Promise((resolve) => setImmediate(resolve));
      // The first rounds warm up both processes.
      if (number >= 20) {
        times.push((called.get('last') ?? Number.NaN) - startMs);
        writes.push(wroteMs);
      }
      await sleep(10);
    }
    const p99 = percentile(times, 99);
    measurements.push(
      {
        name: 'apply in another process to the first platform call, p99',
        value: p99,
        unit: 'ms',
        beside: { name: 'the durable write alone, p99', value: percentile(writes, 99) },
        bar: { text: 'under 25 ms', met: p99 < 25 },
      },
      {
        name: 'the same, median',
        value: median(times),
        unit: 'ms',
        beside: { name: 'the durable write alone', value: median(writes) },
      },
    );
    await operator.stop();
    await registry.close();
    await simulator.close();
  });
}

const restMs = 30_000;

async function resident(count: number, serves = false): Promise<void> {
  await inScratch(async (directory) => {
    const url = `sqlite:${join(directory, 'registry')}`;
    const simulator = await startSimulator('--nodes', '3', '--profile', 'instant');
    const registry = await openRegistry(url, { kinds: operatorKinds });
    await createServices(registry, 0, count);
    const flags = ['--registry', url, '--ecsm', simulator.url, '--in-flight', '16', '--workers', '32'];
    const operator = await startOperatorIn(directory, ...flags, ...(serves ? ['--serve', '127.0.0.1:0'] : []));
    const services = registry.resource(ECSMService);
    const isReady = async () => {
      for await (const { status } of everyService()) if (status?.readyReplicas !== 1) return false;
      return true;
    };
    async function* everyService() {
      let next: string | undefined;
      do {
        const page = await services.list({ limit: 500, ...(next === undefined ? {} : { continue: next }) });
        yield* page.items;
        next = page.continue;
      } while (next !== undefined);
    }
    while (!(await isReady())) await sleep(1000);
    if (serves) await listServices(join(directory, 'pki', 'admin.kubeconfig'));
    // The garbage of the creations has been collected after this time.
    await sleep(restMs);
    const residentMb = operator.residentMb();
    measurements.push({
      name: `operator${serves ? ' with --serve, after a list' : ''}, resident with ${count} services`,
      value: residentMb,
      unit: 'MB',
      beside: { name: 'bare node', value: bareNodeMb() },
      ...barOf(count, serves, residentMb),
    });
    measurements.push({
      name: `peak while it created them`,
      value: operator.residentMbMax(),
      unit: 'MB',
      beside: { name: 'at rest', value: residentMb },
    });
    await operator.stop();
    await registry.close();
    await simulator.stop();
  });
}

/** As `kubectl get ecsmservices -A` does. */
async function listServices(kubeconfig: string): Promise<void> {
  const wire = await Wire.open(endpointOf(kubeconfig), 1);
  await wire.send('GET', '/apis/ecsm.sh/v1/ecsmservices?limit=500');
  wire.close();
}

function barOf(count: number, serves: boolean, residentMb: number): Pick<Measurement, 'bar'> {
  if (count !== 1000) return {};
  const barMb = serves ? 100 : 60;
  return { bar: { text: `under ${barMb} MB`, met: residentMb < barMb } };
}

function bareNodeMb(): number {
  const program = "console.log(/VmRSS:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status','utf8'))[1])";
  return Number(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout) / 1024;
}

async function coldStart(): Promise<void> {
  await inScratch(async (directory) => {
    const url = `sqlite:${join(directory, 'registry')}`;
    const simulator = await startSimulator('--nodes', '3', '--profile', 'instant');
    const registry = await openRegistry(url, { kinds: operatorKinds });
    await createServices(registry, 0, 10);
    await registry.close();
    const times: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < 7; round++) {
      const operator = await startOperator('--registry', url, '--ecsm', simulator.url);
      times.push(operator.readyMs);
      await operator.stop();
      const startMs = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      bare.push(performance.now() - startMs);
    }
    measurements.push({
      name: 'operator, start of the process to ready',
      value: median(times),
      unit: 'ms',
      beside: { name: 'bare node', value: median(bare) },
      bar: { text: 'under 500 ms', met: median(times) < 500 },
    });
    await simulator.stop();
  });
}

await firstCall();
for (const count of [10, 1000, 10_000]) await resident(count);
await resident(1000, true);
await coldStart();
deliver(measurements);
