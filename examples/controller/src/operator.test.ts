/**
 * Goal: the operator does what the kinds promise. Method: a registry in memory, the server in memory, and a clock that
 * advances only when a test advances it.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type EmbeddedRegistry, Event, findCondition, openRegistry } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { Connection, Database, kinds } from './kinds.ts';
import { program } from './operator.ts';
import { MemoryServer } from './server.ts';

let clock: VirtualClock;
let registry: EmbeddedRegistry;
let server: MemoryServer;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock();
  registry = await openRegistry('memory:', { kinds, clock });
  server = new MemoryServer();
  stop = new AbortController();
  running = program(registry, server).run({ signal: stop.signal });
});
afterEach(async () => {
  stop.abort();
  await clock.run(running);
  await registry.close();
});

const put = (sizeGB: number) => registry.resource(Database).apply({ metadata: { name: 'orders' }, spec: { sizeGB } });
const ready = async () => {
  const { status } = await registry.resource(Database).get('orders');
  const { status: is, reason, message } = findCondition(status?.conditions, 'Ready') ?? {};
  return `${is} ${reason}: ${message}`;
};
const urls = async () => (await registry.resource(Connection).list()).items.map(({ spec }) => spec.url);
const messages = async () => (await registry.resource(Event).list()).items.map((one) => Event.fieldsOf(one).message);

test('creates a database with its connection, and resizes it', async () => {
  const { object } = await put(10);
  await clock.advance(1_000);
  assert.equal(await ready(), 'True Available: has 10 GB');
  assert.deepEqual(await urls(), [`db://server/${object.metadata.uid}`]);
  await put(20);
  await clock.advance(1_000);
  assert.deepEqual([...server.contents.values()], [{ sizeGB: 20 }]);
  assert.deepEqual((await messages()).sort(), ['Set the size to 10 GB', 'Set the size to 20 GB']);
});

test('reports what the server refuses, until the spec is corrected', async () => {
  await put(500);
  await clock.advance(60_000);
  assert.equal(await ready(), 'False Refused: the server has 100 GB');
  await put(50);
  await clock.advance(1_000);
  assert.equal(await ready(), 'True Available: has 50 GB');
});

test('restores a deleted connection at once, and what was changed on the server within a minute', async () => {
  const { object } = await put(10);
  await clock.advance(1_000);
  await registry.resource(Connection).delete('orders');
  await clock.advance(1_000);
  assert.equal((await urls()).length, 1);
  await server.put(object.metadata.uid, 5);
  await clock.advance(61_000);
  assert.deepEqual([...server.contents.values()], [{ sizeGB: 10 }]);
});

test('drops the database before its object is deleted, and the connection after it', async () => {
  await put(10);
  await clock.advance(1_000);
  await registry.resource(Database).delete('orders');
  await clock.advance(1_000);
  assert.deepEqual([...server.contents.values()], ['dropped']);
  assert.deepEqual((await registry.resource(Database).list()).items, []);
  assert.deepEqual(await urls(), []);
});
