/**
 * Traffic of autoscaling: calls and bytes of one observation of a fleet at rest and one sync of its autoscalers, compared
 * with an observation of the same fleet before it had any. By default both have the same interval.
 */
import { httpTransport } from '@ecsm/client';
import { ECSMHpa, Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore, systemClock, systemRandom } from '@ecsm/runtime';
import { createServices, service } from '../fleet.ts';
import { deliver } from '../report.ts';
import { startSimulator } from '../simulator.ts';

const services = 1_000;
const autoscaled = 100;
/** Ten observations, one of which lists all instances. Assumed services are verified later than this section takes. */
const periodMs = 10_500;
const intervalMs = 1_000;
/** The calls of a fleet at rest. */
const expected = ['GET /node', 'GET /service', 'GET /container/service'];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const simulator = await startSimulator('--nodes', '3', '--profile', 'instant');
const registry = new EmbeddedRegistry({
  store: new MemoryStore(),
  kinds: operatorKinds,
  clock: systemClock,
  random: systemRandom,
});
const transport = httpTransport({ url: simulator.url, connectionsMax: 64 });
const settings = { observeMs: intervalMs, autoscalingMs: intervalMs, inFlightMax: 16, workers: 16 };
const operator = new Operator({ registry, transport, settings });
const ending = new AbortController();
const running = operator.run({ signal: ending.signal });

await createServices(registry, 0, services);
while (!(await operator.settled())) await sleep(20);
const without = await costAtRest();
for (let number = 0; number < autoscaled; number++) await autoscale(number * (services / autoscaled));
const both = await costAtRest();
ending.abort();
await running;
transport.close();
await registry.close();
await simulator.stop();

const observation = { calls: without.calls / without.observations, bytes: without.bytes / without.observations };
const value = { calls: withSync('calls'), bytes: withSync('bytes') };
const bar = (ratio: number) => ({ text: 'at most 2 times those without', met: ratio <= 2 });
deliver([
  {
    name: `observation of ${services} services at rest, ${autoscaled} of them autoscaled`,
    value: value.calls,
    unit: 'calls',
    beside: { name: 'without autoscalers', value: observation.calls },
    bar: bar(value.calls / observation.calls),
  },
  {
    name: 'the same, bytes in both directions',
    value: value.bytes / 1024,
    unit: 'KB',
    beside: { name: 'without autoscalers', value: observation.bytes / 1024 },
    bar: bar(value.bytes / observation.bytes),
  },
]);

/** An observation takes time, so that there are more syncs than observations within a period. */
function withSync(what: 'calls' | 'bytes'): number {
  const ofSyncs = both[what] - both.observations * observation[what];
  return observation[what] + ofSyncs / (periodMs / intervalMs);
}

interface Cost {
  readonly observations: number;
  readonly calls: number;
  readonly bytes: number;
}

async function costAtRest(): Promise<Cost> {
  await sleep(2 * intervalMs);
  operator.recorder.reset();
  await sleep(periodMs);
  const endpoints = operator.recorder.byEndpoint();
  const others = endpoints.filter(({ endpoint }) => !expected.includes(endpoint));
  if (others.length > 0) throw new Error(`at rest: ${JSON.stringify(others)}`);
  const { calls, bytesUp, bytesDown } = operator.recorder.totals();
  const observations = endpoints.find(({ endpoint }) => endpoint === 'GET /node')?.calls ?? 1;
  return { observations, calls, bytes: bytesUp + bytesDown };
}

/** At its target, so that nothing changes. An idle instance uses all of its memory. */
async function autoscale(number: number): Promise<void> {
  const { name } = service(number).metadata;
  if (name === undefined) throw new Error('a service of the fleet has no name');
  await registry.resource(ECSMHpa).create({
    metadata: { name },
    spec: {
      scaleTargetRef: { kind: 'ECSMService', name },
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Mi' } } },
      ],
    },
  });
}
