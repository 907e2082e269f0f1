/** What tools learn about the age of a status. */
import { EmbeddedRegistry, Informers, isApiError, Lease, MemoryStore, silentLog } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, it, onTestFinished } from 'vitest';
import { operatorKinds } from '../apis/kinds.ts';
import { observationName } from '../apis/well-known.ts';
import { observation } from './observation.ts';

function started(observedMs: () => number | undefined) {
  const clock = new VirtualClock();
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock });
  const end = new AbortController();
  const { run } = observation({ identity: 'host_1_a', observedMs, observeMs: 60_000, log: silentLog });
  const running = run({ registry, informers: new Informers({ registry }), signal: end.signal });
  onTestFinished(async () => {
    end.abort();
    await running;
  });
  const recorded = async () => {
    try {
      return (await registry.resource(Lease).get(observationName)).spec;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
  return { clock, registry, recorded };
}

it('records the time of an observation, not that of the record, and at most one a minute', async () => {
  let observedMs: number | undefined;
  const { clock, registry, recorded } = started(() => observedMs);
  await clock.advance(60_000);
  expect(await recorded()).toBeUndefined();
  observedMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  await clock.advance(10_000);
  expect(await recorded()).toMatchObject({
    holderIdentity: 'host_1_a',
    leaseDurationSeconds: 60,
    renewTime: '2026-01-02T03:04:05.000000Z',
  });
  const revision = await registry.revision();
  observedMs += 15_000;
  await clock.advance(600_000);
  expect(await registry.revision()).toBe(revision);
  observedMs += 45_000;
  await clock.advance(10_000);
  expect(await recorded()).toMatchObject({ renewTime: '2026-01-02T03:05:05.000000Z' });
});

it('writes nothing while the platform is not observed', async () => {
  const { clock, registry } = started(() => Date.UTC(2026, 0, 2));
  await clock.advance(10_000);
  const revision = await registry.revision();
  await clock.advance(3_600_000);
  expect(await registry.revision()).toBe(revision);
});
