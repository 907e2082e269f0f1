/**
 * Traffic of the operator: calls and bytes of one observation of a fleet at rest, compared with a naive controller that
 * lists and gets each service. Time until a fleet is ready, compared with the minimum: a loop that only sends the same
 * creations with the same concurrency, until one list shows all services running.
 *
 * Without latency the engine decides: code that has run often is several times faster. All are measured as in a process
 * that has been running, in turns with a new platform each, and the medians are compared. The first rounds are not
 * counted. The operator's time includes the creation of the objects in the registry, in the same thread. So does that of
 * the minimal controller, which shows how much of it is the runtime.
 *
 * Time of a new image for all services over slow, narrow and lossy links and after a partition, on a virtual clock, beside
 * what the link allows.
 */
import { connect, Ecsm, httpTransport, Recorder, RestClient, type ServiceBody } from '@ecsm/client';
import { Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore, systemClock, systemRandom } from '@ecsm/runtime';
import { createServices } from '../fleet.ts';
import { MinimalController } from '../minimal-controller.ts';
import { deliver, type Measurement, median } from '../report.ts';
import { type RunningSimulator, startSimulator } from '../simulator.ts';
import { type Rollout, rollOut } from '../slow-link.ts';

const measurements: Measurement[] = [];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Running {
  readonly operator: Operator;
  readonly registry: EmbeddedRegistry;
  stop(): Promise<void>;
}

function memoryRegistry(): EmbeddedRegistry {
  const store = new MemoryStore();
  return new EmbeddedRegistry({ store, kinds: operatorKinds, clock: systemClock, random: systemRandom });
}

function operate(url: string, settings: object): Running {
  const registry = memoryRegistry();
  const transport = httpTransport({ url, connectionsMax: 64 });
  const operator = new Operator({ registry, transport, settings });
  const ending = new AbortController();
  const running = operator.run({ signal: ending.signal });
  return {
    operator,
    registry,
    async stop() {
      ending.abort();
      await running;
      transport.close();
      await registry.close();
    },
  };
}

async function settled(operator: Operator): Promise<void> {
  while (!(await operator.settled())) await sleep(20);
}

/** Cost of one observation at rest, averaged over ten, one of which lists all instances. */
async function atRest(count: number): Promise<void> {
  const simulator = await startSimulator('--nodes', '3', '--profile', 'instant');
  const { operator, registry, stop } = operate(simulator.url, { observeMs: 1_000, inFlightMax: 16, workers: 16 });
  await createServices(registry, 0, count);
  await settled(operator);
  await sleep(3_000);
  operator.recorder.reset();
  await sleep(10_500);
  const observations = operator.recorder.byEndpoint().find(({ endpoint }) => endpoint === 'GET /node')?.calls ?? 1;
  const writes = operator.recorder.byEndpoint().filter(({ endpoint }) => !endpoint.startsWith('GET '));
  if (writes.length > 0) throw new Error(`at rest: ${JSON.stringify(writes)}`);
  const { calls, bytesUp, bytesDown } = operator.recorder.totals();
  await stop();
  const naive = await naiveObservation(simulator, count);
  const bytes = (bytesUp + bytesDown) / observations;
  measurements.push(
    {
      name: `observation of ${count} services at rest`,
      value: calls / observations,
      unit: 'calls',
      beside: { name: 'a list and a get per service', value: naive.calls },
    },
    {
      name: `the same, bytes in both directions`,
      value: bytes / 1024,
      unit: 'KB',
      beside: { name: 'naive, listing all', value: naive.listingAll / 1024 },
      ...(count === 1000
        ? { bar: { text: '100 times fewer bytes than naive', met: naive.listingAll / bytes >= 100 } }
        : {}),
    },
    {
      name: `the same, bytes in both directions`,
      value: bytes / 1024,
      unit: 'KB',
      beside: { name: 'naive, listing by name', value: naive.listingByName / 1024 },
    },
  );
  await simulator.stop();
}

/**
 * A controller without a shared observer: one list and one get per service. The cost depends on the list: all services, or
 * those that match the name.
 */
async function naiveObservation({ url }: RunningSimulator, count: number) {
  const recorder = new Recorder();
  const { ecsm, close } = connect({ url, recorder, connectionsMax: 16 });
  const ids = (await ecsm.services().page(1, 1000)).list.map(({ id }) => id);
  const cost = async (work: () => Promise<unknown>) => {
    recorder.reset();
    await work();
    const { bytesUp, bytesDown } = recorder.totals();
    return bytesUp + bytesDown;
  };
  // Each service costs the same, so a sample is sufficient.
  const sample = ids.slice(0, 10);
  const gets = await cost(() => Promise.all(sample.map((id) => ecsm.services().get(id))));
  const all = await cost(() => Promise.all(sample.map(() => ecsm.services().page(1, 1000))));
  const named = await cost(() =>
    Promise.all(sample.map((_, number) => ecsm.services().page(1, 1000, { name: `service-${count - 1 - number}` }))),
  );
  close();
  const scale = count / sample.length;
  return { calls: count * 2, listingAll: (gets + all) * scale, listingByName: (gets + named) * scale };
}

const inFlight = 16;

/** With latency the link decides, and rounds do not differ. */
const roundsWithoutLatency = 12;
const uncountedRounds = 4;

async function untilReady(count: number, latencyMs: number): Promise<void> {
  const flags = ['--nodes', '3', '--profile', 'instant', '--latency', String(latencyMs)];
  const isEngineBound = latencyMs === 0;
  const measured = [operatorTime, ...(isEngineBound ? [minimalTime] : []), criticalPath].map((measure) => ({
    measure,
    times: [] as number[],
  }));
  for (let round = 0; round < (isEngineBound ? roundsWithoutLatency : 1); round++) {
    for (const { measure, times } of measured) {
      const simulator = await startSimulator(...flags);
      const tookMs = await measure(simulator.url, count);
      await simulator.stop();
      if (!isEngineBound || round >= uncountedRounds) times.push(tookMs);
    }
  }
  const [tookMs = Number.NaN, ...others] = measured.map(({ times }) => median(times));
  const leastMs = others.at(-1) ?? Number.NaN;
  const name = `${count} new services ready, ${latencyMs} ms round trip`;
  const beside = { name: `creations only, ${inFlight} concurrent`, value: leastMs };
  const bar = { text: 'within 1.5 times', met: tookMs <= 1.5 * leastMs };
  measurements.push({ name, value: tookMs, unit: 'ms', beside, bar });
  if (!isEngineBound) return;
  measurements.push({ name: `${name}, by a minimal controller`, value: others[0] ?? Number.NaN, unit: 'ms', beside });
}

async function operatorTime(url: string, count: number): Promise<number> {
  const { operator, registry, stop } = operate(url, { inFlightMax: inFlight, workers: inFlight * 2 });
  while (operator.observer.poller.ready() !== undefined) await sleep(5);
  const startMs = performance.now();
  await createServices(registry, 0, count);
  await settled(operator);
  const tookMs = performance.now() - startMs;
  await stop();
  return tookMs;
}

async function minimalTime(url: string, count: number): Promise<number> {
  const { ecsm, transport } = await plainClient(url);
  const registry = memoryRegistry();
  const controller = new MinimalController(registry, ecsm, inFlight * 2, bodyOf);
  const ending = new AbortController();
  const running = controller.run(ending.signal);
  while (!controller.isWatching) await sleep(5);
  const startMs = performance.now();
  await createServices(registry, 0, count);
  await controller.until(count);
  const tookMs = performance.now() - startMs;
  ending.abort();
  await running;
  transport.close();
  await registry.close();
  return tookMs;
}

/** Connected, without the pacing and the circuit breaker of the operator. */
async function plainClient(url: string) {
  const transport = httpTransport({ url, connectionsMax: inFlight });
  const ecsm = new Ecsm(new RestClient({ transport, timeoutMs: 60_000, deadlineMs: 120_000 }));
  await ecsm.services().summary();
  return { ecsm, transport };
}

function bodyOf(name: string): ServiceBody {
  return {
    name,
    image: {
      ref: 'telemetry@1.0.0#sylixos',
      action: 'run',
      config: {
        process: { args: ['/apps/telemetry'], env: ['RATE=10'] },
        sylixos: { resources: { memory: { memoryLimitMB: 1 }, disk: { limitMB: 1 } } },
      },
    },
    node: { names: ['node-1', 'node-2', 'node-3'] },
    policy: 'dynamic',
    factor: 1,
  };
}

async function criticalPath(url: string, count: number): Promise<number> {
  const { ecsm, transport } = await plainClient(url);
  let next = 0;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) await ecsm.services().create(bodyOf(`service-${next++}`));
    }),
  );
  for (;;) {
    const { list } = await ecsm.services().page(1, 1000);
    if (list.filter(({ instanceOnline }) => Number(instanceOnline) === 1).length === count) break;
  }
  const tookMs = performance.now() - startMs;
  transport.close();
  return tookMs;
}

/** The default of the operator, as the maximum number of concurrent calls above. */
const callTimeoutMs = 10_000;
const roundTripMs = 600;
const partitionMs = 600_000;
/** Losses are random: the median of these runs counts. */
const lossySeeds = [1, 2, 3, 4, 5];

/** What the link allows: all calls with as many at a time as allowed, and the calls of one service one after the other. */
function limitsOf({ calls, longestChain }: Rollout): readonly { readonly name: string; readonly value: number }[] {
  return [
    { name: `${calls} calls, ${inFlight} at a time`, value: (calls * roundTripMs) / inFlight },
    { name: `${longestChain} calls of one service in a row`, value: longestChain * roundTripMs },
  ];
}

async function slowRollouts(): Promise<void> {
  const slow = { services: 100, replicas: 2, link: { latencyMs: roundTripMs } };
  const rollout = await rollOut(slow);
  const limits = limitsOf(rollout);
  const limitMs = Math.max(...limits.map(({ value }) => value));
  const name = `new image for 100 services of 2, ${roundTripMs} ms round trip`;
  for (const beside of limits) {
    const bar = { text: 'within 1.3 times the larger limit', met: rollout.ms <= 1.3 * limitMs };
    measurements.push({ name, value: rollout.ms, unit: 'ms', beside, ...(beside.value === limitMs ? { bar } : {}) });
  }
  const never = { text: 'never', met: rollout.openings === 0 };
  measurements.push({ name: 'the same, declared unreachable', value: rollout.openings, unit: 'times', bar: never });

  const partitioned = await rollOut({ ...slow, partitionMs });
  const few = { text: 'at most 40', met: partitioned.callsWhilePartitioned <= 40 };
  measurements.push(
    {
      name: 'the same, after a partition of 10 minutes',
      value: partitioned.ms,
      unit: 'ms',
      beside: { name: 'without the partition', value: rollout.ms },
      bar: { text: 'within 1.3 times', met: partitioned.ms <= 1.3 * rollout.ms },
    },
    { name: 'calls during the partition', value: partitioned.callsWhilePartitioned, unit: 'calls', bar: few },
  );

  const narrow = { services: 60, replicas: 3, link: { latencyMs: roundTripMs, bytesPerSecond: 20_000 } };
  const whole = await rollOut(narrow);
  const lossy: Rollout[] = [];
  for (const seed of lossySeeds)
    lossy.push(await rollOut({ ...narrow, link: { ...narrow.link, lossPercent: 5 }, seed }));
  const lossyMs = median(lossy.map(({ ms }) => ms));
  const allowedMs = 2 * whole.ms + 3 * callTimeoutMs;
  measurements.push(
    {
      name: `new image for 60 services of 3, ${roundTripMs} ms, 20 KB/s for each call, 5 percent lost`,
      value: lossyMs,
      unit: 'ms',
      beside: { name: `twice ${Math.round(whole.ms / 1000)} s without loss, and 3 timeouts`, value: allowedMs },
      bar: { text: 'not longer', met: lossyMs <= allowedMs },
    },
    {
      name: 'the same, declared unreachable',
      value: Math.max(...lossy.map(({ openings }) => openings)),
      unit: 'times',
    },
  );
}

for (const count of [10, 100, 1000]) await atRest(count);
for (const count of [100, 1000]) for (const latencyMs of [0, 100, 600]) await untilReady(count, latencyMs);
await slowRollouts();
deliver(measurements);
