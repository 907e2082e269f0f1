/**
 * Goal: whatever comes, the API answers in an envelope, nothing breaks, and the state stays one that can be written
 * down and started from. Method: seeded requests, most of them nearly right, against a platform whose clock moves and
 * whose nodes come and go; a failure names its seed and request.
 */
import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, test } from 'vitest';
import { profiles } from '../platform/behaviour.ts';
import type { Platform } from '../platform/contract.ts';
import { createPlatform } from '../platform/platform.ts';
import { Bench, field, serviceBody, succeeded } from './api.kit.ts';
import type { Request, Response } from './exchange.ts';
import { catalogueOf, fuzzRequest } from './fuzz.kit.ts';

const requestsPerSeed = 2_000;

test.each([
  [1, 'likely'],
  [2, 'contrary'],
  [3, 'instant'],
  [4, 'likely'],
  [5, 'contrary'],
  [6, 'instant'],
] as const)('seed %i of hostile requests, platform %s', (seed, profile) => {
  const random = new SeededRandom(seed);
  const bench = new Bench({ ...profiles[profile], transactionEndpoint: 'present' });
  const codes = new Map<number, number>();
  let things = catalogueOf(bench.platform.snapshot());
  for (let number = 1; number <= requestsPerSeed; number++) {
    if (number % 10 === 0) things = catalogueOf(bench.platform.snapshot());
    const request = fuzzRequest(random, things);
    const code = check(bench.handler(request), request, `seed ${seed}, request ${number}`);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    fate(random, bench);
    if (number % 500 === 0) checkSnapshot(bench);
  }
  // If nearly everything were refused at the door, the rest would not have been tested.
  expect(codes.get(200)).toBeGreaterThan(requestsPerSeed / 3);
  expect(codes.get(30001)).toBeGreaterThan(requestsPerSeed / 10);
  expect(codes.size).toBeGreaterThan(8);
  checkStillWorks(bench);
});

/** The business code. */
function check({ status, headers, body }: Response, request: Request, which: string): number {
  const text = new TextDecoder().decode(body);
  const description = () =>
    `${which}: ${request.method} ${request.target} ${new TextDecoder().decode(request.body)} → ${text}`;
  if (![200, 400, 404, 405, 409].includes(status)) throw new Error(description());
  const envelope: unknown = JSON.parse(text);
  const keys = typeof envelope === 'object' && envelope !== null ? Object.keys(envelope).join() : '';
  if (keys !== 'status,message,data,fieldErrors') throw new Error(description());
  if (headers['content-length'] !== String(body.length)) throw new Error(description());
  const { status: code } = envelope as { status: unknown };
  if (typeof code !== 'number' || code === 500) throw new Error(description());
  return code;
}

/** Advances the time, injects faults, and restores what the requests have deleted. */
function fate(random: SeededRandom, bench: Bench): void {
  const { platform } = bench;
  if (random.chance(0.3)) bench.pass(random.integer(0, 3_000));
  // The wall clock is set now and then.
  if (random.chance(0.05)) bench.clock.step(random.integer(-5_000, 5_000));
  if (random.chance(0.01) && platform.nodes().length > 0) platform.cutNode(random.pick(platform.nodes()).id);
  if (random.chance(0.02)) for (const { id } of platform.nodes()) platform.restoreNode(id);
  if (random.chance(0.02)) platform.failDeployments({ count: 1 });
  if (random.chance(0.1)) restock(platform);
}

function restock(platform: Platform): void {
  for (const [name, type] of [
    ['sat-1', 'sylixos'],
    ['sat-2', 'sylixos'],
    ['Ground', 'linux'],
  ] as const) {
    const isFree = !platform.nodes().some(({ ip }) => ip === name);
    if (!platform.nodeNamed(name) && isFree) platform.addNode({ name, ip: name, port: 1112, password: '', type });
  }
  const camera = { name: 'camera', tag: '1.0.0', os: 'sylixos', sizeBytes: 1_000 } as const;
  const registryId =
    platform.registries()[0]?.id ?? platform.addRegistry({ name: 'r', address: 'r:5000', standard: 'oci' }).id;
  if (platform.images(registryId).length === 0) platform.pushImage({ ...camera, registryId });
  if (!platform.imageByRef('telemetry@1.0.0#sylixos')) platform.pushImage({ ...camera, name: 'telemetry' });
  if (!platform.imageByRef('gateway@latest#linux')) {
    platform.pushImage({ ...camera, name: 'gateway', tag: 'latest', os: 'linux' });
  }
}

function checkSnapshot(bench: Bench): void {
  const text = JSON.stringify(bench.platform.snapshot());
  const state: ReturnType<typeof bench.platform.snapshot> = JSON.parse(text);
  // Not the texts: both would show null where a number is infinite.
  expect(isDeepStrictEqual(state, bench.platform.snapshot())).toBe(true);
  const restored = createPlatform({ clock: new VirtualClock(state.nowMs), random: new SeededRandom(0), state });
  expect(JSON.stringify(restored.snapshot())).toBe(JSON.stringify(bench.platform.snapshot()));
}

function checkStillWorks(bench: Bench): void {
  const { platform } = bench;
  platform.setBehaviour(profiles.instant);
  const node = platform.addNode({ name: 'fresh', ip: 'fresh', port: 1, password: '' });
  platform.pushImage({ name: 'fresh', tag: '1.0.0', os: 'sylixos', sizeBytes: 1 });
  // Nothing is left over of the failures that were planned.
  while (platform.snapshot().plannedFailures.length > 0) {
    bench.deploy({ ...fresh, name: `last-${bench.nowMs}` });
    bench.pass(10);
  }
  const id = bench.deploy({ ...fresh, name: 'fresh' });
  bench.pass(60_000);
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({ status: 'complete', instanceOnline: 1, healthy: true });
  const list = bench.data('GET', `/container/node?nodeIds[]=${node.id}&key=fresh&pageNum=1&pageSize=-1`);
  expect(list).toMatchObject({ list: expect.arrayContaining([expect.objectContaining({ serviceId: id })]) });
  expect(field(bench.data('DELETE', `/service/${id}`), 'transactionId')).toBeTypeOf('string');
  bench.pass(10);
  expect(bench.call('GET', '/service/name/check?name=fresh')).toEqual(succeeded(false));
}

const fresh = serviceBody({
  image: { ref: 'fresh@1.0.0#sylixos', action: 'run', config: {} },
  node: { names: ['fresh'] },
});
