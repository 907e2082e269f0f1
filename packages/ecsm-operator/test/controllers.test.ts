/**
 * Goal: a second kind with a controller is added to the operator from outside, and costs one watch. Method: a small kind
 * that counts services, on a store that counts its watches, with a platform that does not respond.
 */
import { ECSMService, Operator, operatorKinds } from '@ecsm/operator';
import {
  ApiError,
  type Commit,
  Controller,
  defineKind,
  EmbeddedRegistry,
  MemoryStore,
  schema,
  type WatchOptions,
} from '@ecsm/runtime';
import { expect, it, onTestFinished } from 'vitest';

const { object, integer, optional } = schema;

const Tally = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Tally',
  plural: 'tallies',
  spec: object({}),
  status: object({ services: optional(integer()) }),
  columns: [],
});

/** Counts the services of its namespace: it is enqueued by its own kind, and by every service. */
const tallyController = () =>
  new Controller({
    name: 'tally',
    kind: Tally,
    watches: [{ kind: ECSMService, map: ({ metadata }) => [{ namespace: metadata.namespace, name: 'all' }] }],
    async reconcile({ namespace }, { get, registry }) {
      const tally = await get();
      if (!tally) return;
      const { items } = await registry.resource(ECSMService).list({ namespace });
      await registry.resource(Tally).updateStatus({ ...tally, status: { services: items.length } });
    },
  });

class WatchedStore extends MemoryStore {
  readonly watches: string[] = [];

  override async *watch(prefix: string, options: WatchOptions): AsyncGenerator<Commit> {
    this.watches.push(prefix);
    try {
      yield* super.watch(prefix, options);
    } finally {
      this.watches.splice(this.watches.indexOf(prefix), 1);
    }
  }
}

const service = {
  metadata: { name: 'telemetry' },
  spec: { template: { image: 'telemetry@1.0.0' }, deploymentStrategy: { type: 'Static' as const, nodes: ['node-1'] } },
};

it('runs the controller of a second kind beside its own, with one watch for each kind', async () => {
  const store = new WatchedStore();
  const registry = new EmbeddedRegistry({ store, kinds: [...operatorKinds, Tally] });
  const away = { send: () => Promise.reject(new ApiError('Unavailable', { what: 'the platform', reason: 'a test' })) };
  const operator = new Operator({
    registry,
    transport: { ...away, close() {} },
    controllers: [tallyController],
  });
  const end = new AbortController();
  const running = operator.run({ signal: end.signal });
  onTestFinished(() => end.abort());
  const tally = async () => (await registry.resource(Tally).get('all')).status?.services;
  await registry.resource(Tally).create({ metadata: { name: 'all' }, spec: {} });
  await expect.poll(tally).toBe(0);
  await registry.resource(ECSMService).create(service);
  await expect.poll(tally).toBe(1);
  // The first one is that of the garbage collection, which looks at all kinds.
  const kinds = [
    'ecsm.sh/v1/ecsmhpas/',
    'ecsm.sh/v1/ecsmservices/',
    'example.io/v1/tallies/',
    'scheduling.k8s.io/v1/priorityclasses/',
  ];
  expect([...store.watches].sort()).toEqual(['', ...kinds]);
  const names = ['link', 'observer', 'ecsmservice', 'ecsmhpa', 'tally', 'garbage'];
  expect(operator.runnables.map(({ name }) => name)).toEqual(names);
  end.abort();
  await running;
  expect(store.watches).toEqual([]);
});
