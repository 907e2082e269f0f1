/** Passes over a deleted object. */
import { afterEach, describe, expect, it } from 'vitest';
import { dynamic, Site } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

describe('a service that is created after its owner was deleted', () => {
  /** The object is gone, and what was on the platform for it comes back with a mark of this uid. */
  async function late(uidOf: (uid: string) => string): Promise<void> {
    await site.apply(dynamic('web'));
    await site.ready('web');
    const uid = (await site.get('web'))?.metadata.uid ?? expect.fail();
    const service = site.platform.serviceNamed('web') ?? expect.fail();
    const { name, image, nodeNames, factor, policy } = structuredClone(service);
    await site.services.delete('web');
    await site.clock.until(async () => (await site.get('web')) === undefined, 60_000);
    await site.clock.advance(20_000);
    const marked: typeof image = JSON.parse(JSON.stringify(image).replaceAll(uid, uidOf(uid)));
    site.platform.createService({ name, image: marked, nodeNames, factor, policy, prepull: false });
  }

  it('is deleted', async () => {
    site = new Site().start();
    await late((uid) => uid);
    await site.clock.until(() => site.shown().length === 0, 60_000);
  });

  it('is not deleted if its mark has another uid: another object of that name may own it', async () => {
    site = new Site().start();
    await late(() => '00000000-0000-4000-8000-000000000001');
    const calls = site.simulator.journal.last;
    await site.clock.advance(600_000);
    expect(site.writesSince(calls)).toEqual([]);
    expect(site.shown()).toEqual(['web x3']);
  });

  it('is not deleted by a former leader', async () => {
    site = new Site();
    site.start(site.registry.fencedBy(await site.registry.raiseFence('leader')));
    await late((uid) => uid);
    await site.registry.raiseFence('leader');
    const calls = site.simulator.journal.last;
    await site.clock.advance(600_000);
    expect(site.writesSince(calls)).toEqual([]);
    expect(site.shown()).toEqual(['web x3']);
    await expect(site.stop()).rejects.toMatchObject({ code: 'Fenced' });
  });
});

describe('a service that is left on the platform when its owner is deleted', () => {
  it('stays there, also when it is changed there afterwards', async () => {
    site = new Site().start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    await site.edit('web', { metadata: { annotations: { 'ecsm.sh/orphan': 'true' } } });
    const calls = site.simulator.journal.last;
    await site.services.delete('web');
    await site.clock.until(async () => (await site.get('web')) === undefined, 60_000);
    await site.clock.advance(20_000);
    await site.sim('services/web/edit', { factor: 1 });
    await site.clock.advance(120_000);
    expect(site.shown()).toEqual(['web x1']);
    expect(site.writesSince(calls)).toEqual([]);
  });
});
