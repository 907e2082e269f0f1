/**
 * 1,000 watches at once, each over a TLS connection of its own, with different selections and starts. Every client counts
 * the events that it has to receive, so that nothing is stored but the count; anything else is a violation.
 */

import { usedBytes } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RunningServer, startServer, type WatchLine } from './server.kit.ts';
import { type OpenWatch, openWatch } from './wire.kit.ts';

const watchers = 1_000;
const rounds = 18;
const megabyte = 1024 * 1024;
const gadgetsIn = (namespace: string) => `/apis/example.io/v1/namespaces/${namespace}/gadgets`;
const all = '/apis/example.io/v1/gadgets';

let running: RunningServer;
beforeEach(async () => {
  running = await startServer({ bookmarkMs: 200 });
  await running.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
});
afterEach(() => running.close());

/** Each round changes one object of each: all, app=x in default, app=y in default, app=x in other. */
const selections = [
  { path: all, query: '', perRound: ['default/x', 'default/y', 'other/x'] },
  { path: gadgetsIn('default'), query: '&labelSelector=app%3Dx', perRound: ['default/x'] },
  { path: gadgetsIn('other'), query: '', perRound: ['other/x'] },
  { path: all, query: '&labelSelector=app%3Dx', perRound: ['default/x', 'other/x'] },
] as const;

class Counter {
  received = 0;
  readonly violations: string[] = [];
  #version = 0;
  readonly #perRound: readonly string[];

  constructor(perRound: readonly string[]) {
    this.#perRound = perRound;
  }

  readonly add = ({ type, object }: WatchLine, code: number): void => {
    const version = Number(object.metadata?.resourceVersion);
    const isBookmark = type === 'BOOKMARK';
    if (code !== 200 || (isBookmark ? version < this.#version : !(version > this.#version))) {
      this.violations.push(`${code} ${type} ${version} after ${this.#version}`);
    }
    this.#version = version;
    if (isBookmark) return;
    const round = Math.floor(this.received / this.#perRound.length);
    const place = this.#perRound[this.received % this.#perRound.length];
    this.received++;
    const found = `${type} ${object.metadata.namespace}/${object.metadata.name} ${object.spec.replicas}`;
    if (found !== `${round === 0 ? 'ADDED' : 'MODIFIED'} ${place} ${round}`) this.violations.push(found);
  };
}

const write = async (round: number) => {
  for (const [namespace, name] of [
    ['default', 'x'],
    ['default', 'y'],
    ['other', 'x'],
  ] as const) {
    const object = { metadata: { name, labels: { app: name } }, spec: { replicas: round, colour: 'c'.repeat(2_000) } };
    const path = gadgetsIn(namespace);
    const { code } =
      round === 0 ? await running.call('POST', path, object) : await running.call('PATCH', `${path}/${name}`, object);
    expect(code).toBe(round === 0 ? 201 : 200);
  }
};

it(`delivers every event to ${watchers} watchers once and in order, in bounded memory`, async () => {
  const start = (await running.registry.capabilities.history?.newest()) ?? '';
  const counters: Counter[] = [];
  const watches: OpenWatch[] = [];
  const open = async (count: number) => {
    const opened = Array.from({ length: count }, () => {
      const { path, query, perRound } = selections[counters.length % selections.length] ?? selections[0];
      const counter = new Counter(perRound);
      counters.push(counter);
      const bookmarks = counters.length % 2 === 0 ? '&allowWatchBookmarks=1' : '';
      return openWatch(running, `${path}?watch=1&resourceVersion=${start}${query}${bookmarks}`, counter.add);
    });
    watches.push(...opened);
    await Promise.all(opened.map(({ opened }) => opened));
  };
  const caughtUp = (writtenRounds: number) =>
    expect
      .poll(() => counters.filter(({ received }, n) => received < writtenRounds * perRoundOf(n)).length, {
        timeout: 120_000,
      })
      .toBe(0);

  await open(watchers / 2);
  let round = 0;
  for (; round < rounds / 3; round++) await write(round);
  // Later watchers start at the same version: they catch up before they join the others.
  await open(watchers / 2);
  await caughtUp(round);
  expect(running.server.watches).toBe(watchers);
  const before = usedBytes();
  for (; round < rounds; round++) await write(round);
  await caughtUp(round);
  // What was delivered in between is about 50 MB.
  expect((usedBytes() - before) / megabyte).toBeLessThan(25);
  expect(counters.flatMap(({ violations }) => violations).slice(0, 5)).toEqual([]);
  expect(counters.filter(({ received }, n) => received !== rounds * perRoundOf(n))).toEqual([]);

  for (const watch of watches) watch.cut();
  await Promise.all(watches.map(({ ended }) => ended));
  await expect.poll(() => running.server.watches).toBe(0);
}, 300_000);

function perRoundOf(index: number): number {
  return selections[index % selections.length]?.perRound.length ?? 0;
}
