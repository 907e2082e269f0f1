/** The commands that wait, with a real operator at work on the same registry and a real simulator over HTTP. */
import { httpTransport } from '@ecsm/client';
import { Operator } from '@ecsm/operator';
import { type EmbeddedRegistry, openRegistry, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { knownKinds } from '../shared/session.ts';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(3), nodes: 3 });
const stop = new AbortController();
let running: Promise<void> = Promise.resolve();
let registry: EmbeddedRegistry | undefined;
const inTime = { clock: systemClock };

beforeAll(async () => {
  const { url } = await simulator.listen();
  registry = await openRegistry(kit.url, { kinds: knownKinds });
  const transport = httpTransport({ url, clock: systemClock });
  const operator = new Operator({ registry, transport, settings: { observeMs: 500 } });
  running = operator.run({ signal: stop.signal }).finally(() => transport.close());
});

afterAll(async () => {
  stop.abort();
  await running;
  await registry?.close();
  await simulator.close();
});

it('apply waits until a service is available, and delete until it is deleted on the platform', async () => {
  kit.write('telemetry.yaml', serviceText('telemetry'));
  const applied = await kit.run('apply -f telemetry.yaml --wait --timeout 50s', inTime);
  expect([applied.code, applied.out]).toEqual([0, 'ecsmservice/telemetry created\n']);
  expect(simulator.platform.services().map(({ name }) => name)).toEqual(['telemetry']);
  expect(await kit.shown("get service telemetry -o jsonpath='{.status.readyReplicas}'")).toBe('2');

  const deleted = await kit.run('delete -f telemetry.yaml --timeout 50s', inTime);
  expect([deleted.code, deleted.out]).toEqual([0, 'ecsmservice/telemetry deleted\n']);
  expect(simulator.platform.services()).toEqual([]);
});

it('describe --live shows what the platform reports now', async () => {
  kit.write('telemetry.yaml', serviceText('telemetry'));
  expect((await kit.run('apply -f telemetry.yaml --wait', inTime)).code).toBe(0);
  const { url } = await simulator.listen();
  const { platform } = simulator;
  const [first] = platform.containersOfService(platform.serviceNamed('telemetry')?.id ?? '');
  // The platform restarts it: a change that the operator finds late.
  platform.killContainer(first?.taskId ?? '');
  const live = () => kit.run(`describe service telemetry --live --ecsm ${url}`, inTime);
  await expect.poll(async () => (await live()).out).toMatch(new RegExp(`${first?.name} +node-. +Ready +1 `));
  expect((await live()).out).toMatch(/^ {2}Observed: +now, on the platform$/m);
  expect((await kit.run('describe service telemetry --ecsm http://127.0.0.1:1')).code).toBe(2);
  expect((await kit.run('describe service telemetry --live --ecsm http://127.0.0.1:1', inTime)).err).toContain(
    'check the platform, and its URL in --ecsm or ECSM_URL',
  );
  expect((await kit.run('delete service telemetry --timeout 50s', inTime)).code).toBe(0);
});

it('delete --cascade=orphan leaves the service on the platform, which a later object of its name takes over', async () => {
  kit.write('telemetry.yaml', serviceText('telemetry'));
  expect((await kit.run('apply -f telemetry.yaml --wait', inTime)).code).toBe(0);
  const before = simulator.platform.serviceNamed('telemetry') ?? expect.fail();
  const { code, out } = await kit.run('delete service telemetry --cascade=orphan --timeout 50s', inTime);
  expect([code, out]).toEqual([0, 'ecsmservice/telemetry deleted\n']);
  expect(simulator.platform.serviceNamed('telemetry')?.id).toBe(before.id);
  expect((await kit.run('apply -f telemetry.yaml --wait --timeout 50s', inTime)).code).toBe(0);
  expect(simulator.platform.services().map(({ name }) => name)).toEqual(['telemetry']);
  expect((await kit.run('delete service telemetry --timeout 50s', inTime)).code).toBe(0);
  expect(simulator.platform.services()).toEqual([]);
});

it('apply --prune --wait waits for deletions too', async () => {
  const labels = { metadata: '  labels: { app: x }\n' };
  kit.write('a.yaml', serviceText('telemetry', labels));
  kit.write('b.yaml', serviceText('worker', labels));
  expect((await kit.run('apply -f a.yaml --wait', inTime)).code).toBe(0);
  const { code, out } = await kit.run('apply -f b.yaml --prune -l app=x --wait --timeout 50s', inTime);
  expect([code, out]).toEqual([
    0,
    'ecsmservice/worker created\necsmservice/telemetry pruned\necsmservice/telemetry deleted\n',
  ]);
  expect(simulator.platform.services().map(({ name }) => name)).toEqual(['worker']);
});
