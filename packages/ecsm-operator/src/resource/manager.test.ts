/** The manager on a simulated platform: what it finds, how many calls that takes, and what it makes of refusals. */
import { Ecsm, RestClient, type Transport } from '@ecsm/client';
import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { smallService } from '../apis/service.kit.ts';
import { ServiceManager } from './manager.ts';
import { platformOf, rendered, type Stage, withoutWaiting } from './platform.kit.ts';

const named = (platformName: string) => rendered(smallService(), { platformName });

const calls = ({ simulator }: Stage) => simulator.journal.entries().map(({ method, target }) => `${method} ${target}`);
const idOf = ({ simulator }: Stage, name: string) => simulator.platform.serviceNamed(name)?.id ?? expect.fail();
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

function cut({ simulator }: Stage, name: string): void {
  simulator.platform.cutNode(simulator.platform.nodeNamed(name)?.id ?? expect.fail());
}

/** The same platform, but its short list of nodes leaves out whether they are online. */
function withoutStatus({ simulator, clock }: Stage): Ecsm {
  const { send, close } = simulator.transport();
  const transport: Transport = {
    async send(request, options) {
      const answer = await send(request, options);
      if (!request.target.includes('basicInfo')) return answer;
      const text = new TextDecoder().decode(answer.body).replaceAll(/"status":"\w+",/g, '');
      return { ...answer, body: new TextEncoder().encode(text) };
    },
    close,
  };
  return new Ecsm(new RestClient({ transport, clock, attemptsMax: 1 }));
}

/** The same platform, behind a proxy that does not know the path of one service. */
function behindProxy({ simulator, clock }: Stage): ServiceManager {
  const { send, close } = simulator.transport();
  const body = new TextEncoder().encode('<html>Not Found</html>');
  const transport: Transport = {
    send: (request, options) =>
      request.target.startsWith('/api/v1/service/')
        ? Promise.resolve({ status: 404, headers: { 'content-type': 'text/html' }, body })
        : send(request, options),
    close,
  };
  return new ServiceManager(new Ecsm(new RestClient({ transport, clock, attemptsMax: 1 })));
}

describe('finding services', () => {
  it('finds those of the name and its rollouts, with their instances, and no others', async () => {
    const stage = platformOf();
    const names = ['worker', 'worker-0a1b2c3d', 'worker-2', 'my-worker', 'ground.worker', 'worker-0a1b2c3d4'];
    for (const name of names) await stage.manager.create(named(name));
    const found = await stage.manager.find('worker');
    expect(found.map(({ name }) => name).sort()).toEqual(['worker', 'worker-0a1b2c3d']);
    for (const { instances, mark, id, factor } of found) {
      expect(factor).toBe(2);
      expect(mark?.name).toBe('worker');
      expect(instances.map(({ taskId }) => taskId).sort()).toEqual(
        stage.simulator.platform
          .containersOfService(id)
          .map(({ taskId }) => taskId)
          .sort(),
      );
      expect(instances).toHaveLength(2);
    }
  });

  it('takes one call if there are none; else one for the list, one for each service and one for all containers', async () => {
    const stage = platformOf();
    expect(await stage.manager.find('worker')).toEqual([]);
    expect(calls(stage)).toHaveLength(1);
    await stage.manager.create(named('worker'));
    await stage.manager.create(named('worker-0a1b2c3d'));
    stage.simulator.journal.clear();
    await stage.manager.find('worker');
    expect(calls(stage)).toHaveLength(4);
  });

  it('finds one among more than a page of similar names', async () => {
    const stage = platformOf(withoutWaiting('contrary'));
    for (let index = 0; index < 250; index++) await stage.manager.create(named(`worker-${index}`));
    await stage.manager.create(named('worker'));
    expect((await stage.manager.find('worker')).map(({ name }) => name)).toEqual(['worker']);
  });

  it.each(['likely', 'contrary'] as const)('omits one that is deleted meanwhile (%s)', async (profile) => {
    const stage = platformOf(withoutWaiting(profile));
    await stage.manager.create(named('worker'));
    await stage.manager.create(named('worker-0a1b2c3d'));
    const id = idOf(stage, 'worker');
    stage.onCall = (call) => {
      if (call === `GET /api/v1/service/${id}`) stage.simulator.platform.deleteService(id);
    };
    expect((await stage.manager.find('worker')).map(({ name }) => name)).toEqual(['worker-0a1b2c3d']);
  });

  it.each(['likely', 'contrary'] as const)(
    'reads services that a stale list does not contain (%s)',
    async (profile) => {
      const stage = platformOf(withoutWaiting(profile));
      await stage.manager.create(named('worker'));
      const id = idOf(stage, 'worker');
      const { platform } = stage.simulator;
      const list = platform.services.bind(platform);
      // As it was before the service was made.
      stage.onCall = (call) => {
        platform.services = call.startsWith('GET /api/v1/service?') ? () => [] : list;
      };
      expect(await stage.manager.find('worker')).toEqual([]);
      expect((await stage.manager.find('worker', { known: [id] })).map((one) => one.id)).toEqual([id]);
      stage.onCall = undefined;
      platform.services = list;
      platform.deleteService(id);
      expect(await stage.manager.find('worker', { known: [id] })).toEqual([]);
    },
  );

  it('does not omit one that exists because a proxy responds with 404', async () => {
    const stage = platformOf();
    await stage.manager.create(named('worker'));
    const id = idOf(stage, 'worker');
    expect(isApiError(await failure(behindProxy(stage).find('worker')), 'NotFound')).toBe(true);
    stage.simulator.platform.deleteService(id);
    expect(await behindProxy(stage).find('worker', { known: [id] })).toEqual([]);
  });

  it('rethrows other failures', async () => {
    const stage = platformOf();
    await stage.manager.create(named('worker'));
    stage.simulator.link.set({ errorsLeft: 100 });
    expect(isApiError(await failure(stage.manager.find('worker')), 'Unavailable')).toBe(true);
  });
});

describe('deleting a service', () => {
  it.each(['likely', 'contrary'] as const)('deletes it, and succeeds if it does not exist (%s)', async (profile) => {
    const stage = platformOf(withoutWaiting(profile));
    await stage.manager.create(named('worker'));
    const id = idOf(stage, 'worker');
    await stage.manager.delete(id, { name: 'worker' });
    expect(await stage.manager.find('worker')).toEqual([]);
    await stage.manager.delete(id, { name: 'worker' });
    await stage.manager.delete(id);
  });

  it('rethrows a rejection while the service exists', async () => {
    const stage = platformOf('likely');
    await stage.manager.create(named('worker'));
    const id = idOf(stage, 'worker');
    await stage.manager.delete(id);
    expect(isApiError(await failure(stage.manager.delete(id, { name: 'worker' })), 'Rejected')).toBe(true);
    expect(isApiError(await failure(stage.manager.delete(id)), 'Rejected')).toBe(true);
  });

  it('rethrows a 404 of a proxy while the service exists', async () => {
    const stage = platformOf();
    await stage.manager.create(named('worker'));
    const deleting = behindProxy(stage).delete(idOf(stage, 'worker'), { name: 'worker' });
    expect(isApiError(await failure(deleting), 'NotFound')).toBe(true);
  });

  it('rethrows that the platform is unreachable', async () => {
    const stage = platformOf();
    stage.simulator.link.set({ errorsLeft: 1 });
    expect(isApiError(await failure(stage.manager.delete('any')), 'Unavailable')).toBe(true);
  });
});

describe('changing a service', () => {
  it('creates it, and reports that the name is taken the second time', async () => {
    const stage = platformOf();
    const { id } = await stage.manager.create(named('worker'));
    expect(idOf(stage, 'worker')).toBe(id);
    expect(isApiError(await failure(stage.manager.create(named('worker'))), 'AlreadyExists')).toBe(true);
    expect(stage.simulator.platform.services()).toHaveLength(1);
  });

  it.each(['likely', 'contrary'] as const)('replaces it completely, and returns its new id (%s)', async (profile) => {
    const stage = platformOf(withoutWaiting(profile));
    const before = await stage.manager.create({ ...named('worker'), prepull: true });
    const after = await stage.manager.update(before.id, { ...named('worker'), factor: 1, prepull: false });
    expect(idOf(stage, 'worker')).toBe(after.id);
    expect(stage.simulator.platform.serviceNamed('worker')).toMatchObject({ factor: 1, prepull: true });
  });

  it('starts and continues all instances or one, and redeploys them', async () => {
    const stage = platformOf(withoutWaiting('likely'));
    const { manager, simulator } = stage;
    const { id } = await manager.create(named('worker'));
    const settle = () => stage.clock.advanceSync(60_000);
    const statuses = async () => {
      settle();
      return (await manager.find('worker'))[0]?.instances.map(({ status }) => status);
    };
    expect(await statuses()).toEqual(['running', 'running']);
    const first = simulator.platform.containersOfService(id)[0]?.name ?? expect.fail();
    simulator.platform.controlService(id, 'stop');
    expect(await statuses()).toEqual(['exited', 'exited']);
    await manager.startInstance(first);
    expect((await statuses())?.sort()).toEqual(['exited', 'running']);
    await manager.start(id);
    expect(await statuses()).toEqual(['running', 'running']);
    simulator.platform.controlService(id, 'pause');
    expect(await statuses()).toEqual(['paused', 'paused']);
    await manager.unpauseInstance(first);
    expect((await statuses())?.sort()).toEqual(['paused', 'running']);
    await manager.unpause(id);
    expect(await statuses()).toEqual(['running', 'running']);
    const deployments = () => simulator.platform.containersOfService(id).map(({ deployNum }) => deployNum);
    const before = deployments();
    await manager.redeploy(id);
    settle();
    expect(deployments()).toEqual(before.map((count) => count + 1));
  });
});

describe('nodes that are offline', () => {
  it('are returned by name, in one call', async () => {
    const stage = platformOf();
    expect(await stage.manager.offlineNodes()).toEqual(new Set());
    cut(stage, 'node-2');
    stage.simulator.journal.clear();
    expect(await stage.manager.offlineNodes()).toEqual(new Set(['node-2']));
    expect(calls(stage)).toEqual([expect.stringMatching(/^GET .*basicInfo=true/)]);
  });

  it('are read with the full list if the short one has no status', async () => {
    const stage = platformOf();
    cut(stage, 'node-2');
    const manager = new ServiceManager(withoutStatus(stage));
    expect(await manager.offlineNodes()).toEqual(new Set(['node-2']));
    stage.simulator.journal.clear();
    expect(await manager.offlineNodes()).toEqual(new Set(['node-2']));
    expect(calls(stage)).toEqual([expect.not.stringMatching(/basicInfo/)]);
  });
});
