/**
 * Goal: the operator survives faults. Method: the whole program runs on a virtual clock, while a user creates, resizes and
 * deletes a database, with faults from a seed: lost, late and repeated requests, partitions, crashes at any point.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbeddedRegistry, sleep } from '@ecsm/runtime';
import {
  formatTrace,
  type ProcessDependencies,
  type RunResult,
  runCrashPoints,
  runSeeds,
  type Scenario,
  stable,
} from '@ecsm/runtime/simulation';
import { Database, kinds } from './kinds.ts';
import { decide, program } from './operator.ts';
import { type DatabaseServer, MemoryServer } from './server.ts';

const open = ({ store, clock, random }: ProcessDependencies) => new EmbeddedRegistry({ store, clock, random, kinds });

/** The server behind a network: each call is an effect, which may get lost, arrive late or twice. */
function remote(server: MemoryServer, { effect }: ProcessDependencies): DatabaseServer {
  const write = { kind: 'write', link: 'server', repeatable: true } as const;
  return {
    find: (id) => effect('find', () => server.find(id), { kind: 'read', link: 'server' }),
    put: (id, sizeGB) => effect(`put ${sizeGB} GB`, () => server.put(id, sizeGB), write),
    drop: (id) => effect('drop', () => server.drop(id), write),
  };
}

async function user(dependencies: ProcessDependencies): Promise<void> {
  const { clock, random } = dependencies;
  const objects = open(dependencies).resource(Database);
  for (const sizeGB of [1, 2, 3, 4, 5]) {
    if (random.next() < 0.3) await objects.delete('orders');
    else await objects.apply({ metadata: { name: 'orders' }, spec: { sizeGB } });
    await sleep(clock, random.next() * 3_000);
  }
}

const scenarioOf = (decideOn = decide): Scenario => ({
  name: 'databases',
  faultsUntilMs: 20_000,
  endMs: 240_000,
  build(simulation) {
    const server = new MemoryServer();
    simulation.process('user', { faults: false }).start(user);
    simulation.process('operator', { links: ['store', 'server'] }).start((dependencies) => {
      const { log, signal } = dependencies;
      return program(open(dependencies), remote(server, dependencies), log, decideOn).run({ signal });
    });
    simulation.eventually('the server has what is declared, and nothing else', ({ store }) => {
      const declared = [...store.jsonBelow('example.io/v1/databases/')].map(([, value]) => Database.parse(value));
      const wanted = declared.map(({ metadata, spec }) => `${metadata.uid}: ${spec.sizeGB} GB`);
      const found = [...server.contents].flatMap(([id, one]) => (one === 'dropped' ? [] : [`${id}: ${one.sizeGB} GB`]));
      return `${found}` === `${wanted}` ? undefined : `declared is ${wanted}, found is ${found}`;
    });
    simulation.eventually('at rest nothing is written', stable({ quietMs: 60_000 }));
  },
});

const explained = (failed: RunResult | undefined) =>
  failed && `seed ${failed.seed}: ${failed.failure?.message}\n${formatTrace(failed.journal)}`;

test('passes with the faults of 100 seeds', async () => {
  const { failed } = await runSeeds({ scenario: scenarioOf(), seeds: 100 });
  assert.equal(explained(failed?.shrunk), undefined);
});

test('passes with a crash before and after each effect', async () => {
  const { failed } = await runCrashPoints(scenarioOf(), 1);
  assert.equal(explained(failed), undefined);
});

test('detects a finalizer that is removed before the database is dropped', async () => {
  const defect: typeof decide = (database, facts, nowMs) =>
    database.metadata.deletionTimestamp === undefined
      ? decide(database, facts, nowMs)
      : { status: undefined, hold: false };
  const { failed } = await runSeeds({ scenario: scenarioOf(defect), seeds: 100 });
  assert.equal(failed?.result.failure?.oracle, 'the server has what is declared, and nothing else');
});
