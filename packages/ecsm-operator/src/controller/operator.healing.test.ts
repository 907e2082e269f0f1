/** Failures on the platform: repaired if the platform does not do it itself, otherwise reported. */
import { afterEach, describe, expect, it } from 'vitest';
import { dynamic, fixed, Site, type SiteOptions } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

async function opened(input = dynamic('web'), options?: SiteOptions): Promise<void> {
  site = new Site(options).start();
  await site.apply(input);
  await site.ready(input.metadata.name);
}

const nodesOf = (name: string) => {
  const service = site.platform.serviceNamed(name);
  const containers = service ? site.platform.containersOfService(service.id) : [];
  return containers.map(({ nodeId }) => site.platform.node(nodeId)?.name).sort();
};

describe('a deployment that fails', () => {
  it('is redeployed with backoff, and reported until it succeeds', async () => {
    site = new Site().start();
    site.platform.failDeployments({ service: 'web', count: 3 * 4, message: 'no space left' });
    await site.apply(dynamic('web'));
    await site.clock.advance(8_000);
    expect(await site.condition('web', 'Degraded')).toBe('True DeploymentFailed');
    await site.ready('web', 600_000);
    const redeployments = site.simulator.journal
      .entries()
      .filter(({ method, endpoint }) => method !== 'GET' && endpoint !== 'POST /service')
      .map(({ timeMs }) => timeMs);
    expect(redeployments.length).toBeGreaterThanOrEqual(3);
    const waits = redeployments.slice(1).map((timeMs, index) => timeMs - (redeployments[index] ?? 0));
    for (const [index, waitMs] of waits.entries()) expect(waitMs).toBeGreaterThan((waits[index - 1] ?? 10_000) * 1.3);
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
    expect((await site.get('web'))?.status?.healing).toBeUndefined();
  });

  it('keeps its backoff after a restart of the operator', async () => {
    site = new Site().start();
    site.platform.failDeployments({ service: 'web', count: 1_000, message: 'no space left' });
    await site.apply(dynamic('web'));
    await site.clock.advance(120_000);
    const attempts = (await site.get('web'))?.status?.healing?.attempts ?? 0;
    expect(attempts).toBeGreaterThan(2);
    await site.stop();
    const calls = site.simulator.journal.last;
    site.start();
    await site.clock.advance(20_000);
    expect(site.writesSince(calls).length).toBeLessThanOrEqual(1);
    expect((await site.get('web'))?.status?.healing?.attempts).toBeGreaterThanOrEqual(attempts);
  });
});

describe('an instance that ends', () => {
  it('is restarted by the platform', async () => {
    await opened();
    const calls = site.simulator.journal.last;
    const service = site.platform.serviceNamed('web');
    const [first] = site.platform.containersOfService(service?.id ?? '');
    await site.sim(`containers/${first?.name}/kill`);
    await site.clock.advance(60_000);
    expect(site.statuses('web')).toEqual(['running', 'running', 'running']);
    expect(site.writesSince(calls)).toEqual([]);
  });

  it('and is not restarted is started after the grace period', async () => {
    await opened(dynamic('web'), { behaviour: { selfRestart: 'never' }, settings: { observeMs: 1_000 } });
    const service = site.platform.serviceNamed('web');
    const [first] = site.platform.containersOfService(service?.id ?? '');
    await site.clock.advance(1_337);
    await site.sim(`containers/${first?.name}/kill`);
    const tookMs = await site.clock.until(() => site.statuses('web').every((status) => status === 'running'), 60_000);
    // It is seen within a look, and moments in a status are whole seconds; then it starts.
    expect(tookMs).toBeGreaterThan(15_000);
    expect(tookMs).toBeLessThan(15_000 + 1_100 + 1_000 + 1_500);
  });

  it('repeatedly is reported, and not restarted by the operator', async () => {
    await opened();
    const calls = site.simulator.journal.last;
    const service = site.platform.serviceNamed('web');
    const [first] = site.platform.containersOfService(service?.id ?? '');
    await site.sim(`containers/${first?.name}/crash-loop`, { afterMs: 4_000 });
    await site.clock.until(async () => (await site.condition('web', 'Degraded')) === 'True CrashLoop', 900_000, 1_000);
    expect(site.writesSince(calls).filter((endpoint) => endpoint !== 'PUT /container')).toEqual([]);
  });
});

describe('a node that is lost', () => {
  it('is reported for a static service, whose instance counts as neither ready nor deleted', async () => {
    await opened(fixed('web'));
    const calls = site.simulator.journal.last;
    await site.sim('nodes/node-2/cut');
    await site.clock.advance(600_000);
    expect(await site.condition('web', 'Degraded')).toBe('True NodeLost');
    expect((await site.get('web'))?.status).toMatchObject({
      readyReplicas: 2,
      replicas: 3,
      lostNodes: [{ name: 'node-2' }],
    });
    expect(site.writesSince(calls)).toEqual([]);
    await site.sim('nodes/node-2/restore');
    await site.clock.advance(30_000);
    await site.ready('web');
    expect((await site.get('web'))?.status?.lostNodes).toBeUndefined();
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
  });

  it('is handled by the platform for a dynamic service during the grace period', async () => {
    await opened(dynamic('web'), { behaviour: { migrationDelayMs: 60_000 } });
    const calls = site.simulator.journal.last;
    await site.sim('nodes/node-2/cut');
    await site.clock.advance(30_000);
    expect(await site.condition('web', 'Degraded')).toBe('True NodeLost');
    await site.clock.advance(200_000);
    expect(nodesOf('web')).not.toContain('node-2');
    expect(site.writesSince(calls)).toEqual([]);
    expect(await site.condition('web', 'Available')).toBe('True EnoughReady');
  });

  it('is excluded from the pool of a dynamic service that the platform does not move, until it is online', async () => {
    await opened(dynamic('web'), { behaviour: { migrationDelayMs: 1e9 } });
    expect(nodesOf('web')).toContain('node-2');
    await site.sim('nodes/node-2/cut');
    await site.clock.advance(250_000);
    expect(site.platform.serviceNamed('web')?.nodeNames).toContain('node-2');
    await site.clock.advance(120_000);
    expect(site.platform.serviceNamed('web')?.nodeNames).toEqual(['node-1', 'node-3']);
    await site.clock.until(() => !nodesOf('web').includes('node-2') && nodesOf('web').length === 3);
    await site.sim('nodes/node-2/restore');
    await site.clock.advance(60_000);
    expect(site.platform.serviceNamed('web')?.nodeNames).toEqual(['node-1', 'node-2', 'node-3']);
    await site.ready('web');
  });

  it('is detected if the platform still reports its instances as running', async () => {
    await opened(fixed('web'), { behaviour: { offlineContainerStatus: 'last' } });
    await site.sim('nodes/node-2/cut');
    await site.clock.advance(20_000);
    expect(await site.condition('web', 'Degraded')).toBe('True NodeLost');
    expect((await site.get('web'))?.status?.readyReplicas).toBe(2);
  });
});
