/** What the control API does to the platform, asserted on the platform itself. */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { controlRoutes } from '../control/control.ts';
import type { Container } from '../platform/model.ts';
import { Simulator } from './simulator.ts';

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('the control API', () => {
  let clock: VirtualClock;
  let simulator: Simulator;

  beforeEach(async () => {
    clock = new VirtualClock();
    simulator = new Simulator({ clock, random: new SeededRandom(1), nodes: 4 });
    simulator.platform.createService({
      name: 'telemetry',
      image: {
        ref: 'telemetry@1.0.0#sylixos',
        action: 'run',
        config: { process: { args: ['/apps/telemetry'], env: ['RATE=10', 'MODE=fast'] } },
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
      },
      nodeNames: ['node-1', 'node-2', 'node-3'],
      factor: 2,
      policy: 'dynamic',
      prepull: false,
    });
    await clock.advance(60_000);
  });

  function call(method: string, target: string, body?: unknown): Answered {
    const bytes = Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    const answer = simulator.handler({ method, target, headers: {}, body: bytes });
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) };
  }
  const service = () => simulator.platform.serviceNamed('telemetry') ?? expect.fail('there is no telemetry');
  const containers = () => simulator.platform.containersOfService(service().id);
  const first = (): Container => containers()[0] ?? expect.fail('there is no container');
  const node = (name: string) => simulator.platform.nodeNamed(name) ?? expect.fail(`there is no ${name}`);

  it('starts from two running instances', () => {
    expect(containers().map(({ status }) => status)).toEqual(['running', 'running']);
  });

  it('lists itself, with a body that works wherever one is needed', () => {
    const { status, body } = call('GET', '/sim/');
    expect(status).toBe(200);
    expect(body['routes']).toHaveLength(controlRoutes.length);
    for (const { method, path, body: example } of controlRoutes) {
      if (example === undefined) continue;
      const target = path
        .replace(':service', 'telemetry')
        .replace(':node', 'node-1')
        .replace(':container', first().name);
      expect(call(method, target, example), `${method} ${path}`).toMatchObject({ status: 200, body: { ok: true } });
    }
  });

  it('kills a container, by name or by task', async () => {
    const { name, taskId } = first();
    expect(call('POST', `/sim/containers/${name}/kill`).body).toEqual({ ok: true, container: name, status: 'exited' });
    expect(first().status).toBe('exited');
    await clock.advance(10_000);
    expect(first()).toMatchObject({ status: 'running', restartCnt: 1 });
    call('POST', `/sim/containers/${taskId}/kill`);
    await clock.advance(10_000);
    expect(first().restartCnt).toBe(2);
  });

  it('crashes a container repeatedly, until the loop is stopped', async () => {
    call('POST', `/sim/containers/${first().name}/crash-loop`, { afterMs: 1_000 });
    await clock.advance(60_000);
    const { restartCnt } = first();
    expect(restartCnt).toBeGreaterThan(5);
    call('POST', `/sim/containers/${first().name}/crash-loop`, { afterMs: null });
    await clock.advance(60_000);
    expect(first().status).toBe('running');
    expect(first().restartCnt).toBeLessThanOrEqual(restartCnt + 1);
  });

  it('makes a container unhealthy', () => {
    call('POST', `/sim/containers/${first().name}/health`, { healthy: false });
    expect(first().healthy).toBe(false);
  });

  it('makes the configured number of deployments fail', async () => {
    call('POST', '/sim/deployments/fail', { count: 1, service: 'telemetry', message: 'no space left' });
    call('POST', '/sim/services/telemetry/redeploy');
    await clock.advance(60_000);
    const outcomes = containers().map(({ deployStatus, failedMessage }) => `${deployStatus} ${failedMessage}`);
    expect(outcomes.sort()).toEqual(['failure no space left', 'success null']);
  });

  it('disconnects and reconnects a node', async () => {
    const { nodeId } = first();
    const { name } = simulator.platform.node(nodeId) ?? expect.fail();
    expect(call('POST', `/sim/nodes/${name}/cut`).body).toMatchObject({ ok: true, node: name, online: false });
    await clock.advance(120_000);
    expect(containers().map((each) => each.nodeId)).not.toContain(nodeId);
    expect(containers()).toHaveLength(2);
    call('POST', `/sim/nodes/${nodeId}/restore`);
    expect(node(name).online).toBe(true);
  });

  it('fills a node, in bytes or in percent', () => {
    call('POST', '/sim/nodes/node-1/fill', { memoryPercent: 50, diskBytes: 12_345, containers: 4 });
    expect(node('node-1')).toMatchObject({
      memoryOtherBytes: Math.round(node('node-1').memoryTotalBytes / 2),
      diskOtherBytes: 12_345,
      otherContainers: 4,
    });
  });

  it('changes the actual type of a node', () => {
    call('POST', '/sim/nodes/node-1/type', { type: 'linux' });
    expect(node('node-1')).toMatchObject({ type: 'sylixos', trueType: 'linux' });
  });

  it('adds a node with a free address', () => {
    for (const name of ['node-8', 'node-9']) {
      expect(call('POST', '/sim/nodes', { name, type: 'linux' }).status).toBe(200);
    }
    expect(node('node-9')).toMatchObject({ type: 'linux', port: 1112, online: true });
    expect(new Set(simulator.platform.nodes().map(({ ip }) => ip)).size).toBe(6);
    expect(call('POST', '/sim/nodes', { name: 'node-9' }).status).toBe(409);
  });

  it('puts a load on a service', () => {
    call('POST', '/sim/services/telemetry/load', { cpuPercent: 70 });
    expect(simulator.platform.usageOf(first()).cpuPercent).toBeGreaterThanOrEqual(70);
    call('POST', '/sim/services/telemetry/load', { memoryBytes: 1_000_000 });
    expect(service().load).toEqual({ cpuPercent: 70, memoryBytes: 1_000_000, diskBytes: 0 });
  });

  it('puts a demand on a service that its instances share, as a wave', async () => {
    const wave = { cpuPercentTotal: 160, wavePeriodMs: 40_000, wavePercent: 25 };
    expect(call('POST', '/sim/services/telemetry/load', wave).body).toMatchObject({ load: wave });
    const shares = () => containers().map((each) => simulator.platform.usageOf(each).cpuPercent);
    expect(shares()).toEqual([80, 80]);
    await clock.advance(10_000);
    expect(shares()).toEqual([100, 100]);
    await clock.advance(20_000);
    expect(shares()).toEqual([60, 60]);
    expect(call('POST', '/sim/services/telemetry/load', { wavePercent: 101 }).status).toBe(400);
  });

  it('edits a service, and keeps fields that are not given', async () => {
    call('POST', '/sim/services/telemetry/edit', {
      image: 'telemetry@1.1.0#sylixos',
      factor: 3,
      env: { RATE: '99', MODE: null, NEW: 'x' },
      config: { hostname: 'other' },
    });
    await clock.advance(60_000);
    expect(service()).toMatchObject({ factor: 3, policy: 'dynamic', nodeNames: ['node-1', 'node-2', 'node-3'] });
    expect(service().image).toMatchObject({
      ref: 'telemetry@1.1.0#sylixos',
      autoUpgrade: 'Never',
      config: { hostname: 'other', process: { args: ['/apps/telemetry'], env: ['RATE=99', 'NEW=x'] } },
    });
    expect(containers()).toHaveLength(3);
  });

  it('stops, starts and deletes a service', async () => {
    call('POST', '/sim/services/telemetry/stop');
    await clock.advance(5_000);
    expect(containers().map(({ status }) => status)).toEqual(['exited', 'exited']);
    call('POST', `/sim/services/${service().id}/start`);
    await clock.advance(5_000);
    expect(containers().map(({ status }) => status)).toEqual(['running', 'running']);
    call('DELETE', '/sim/services/telemetry');
    await clock.advance(5_000);
    expect(simulator.platform.services()).toEqual([]);
  });

  it('pushes an image, and services with auto-upgrade follow', async () => {
    call('POST', '/sim/services/telemetry/edit', { autoUpgrade: 'Larger' });
    const { body } = call('POST', '/sim/images', { name: 'telemetry', tag: '9.0.0', os: 'sylixos' });
    expect(body['image']).toBe('telemetry@9.0.0#sylixos');
    await clock.advance(60_000);
    expect(service().image.ref).toBe('telemetry@9.0.0#sylixos');
  });

  it('sets the link, shows it, and resets it', () => {
    const { body } = call('PUT', '/sim/link', { latencyMs: 5, match: { method: 'GET' } });
    expect(body['link']).toMatchObject({ latencyMs: 5, lossPercent: 0, match: { method: 'GET' } });
    expect(simulator.link.settings.latencyMs).toBe(5);
    expect(call('PUT', '/sim/link', { lossPercent: 200 })).toMatchObject({
      status: 400,
      body: { error: 'lossPercent has to be a number from 0 to 100, not 200' },
    });
    expect(call('GET', '/sim/link').body['link']).toMatchObject({ latencyMs: 5, lossPercent: 0 });
    call('DELETE', '/sim/link');
    expect(simulator.link.settings.latencyMs).toBe(0);
  });

  it('sets switches, one by one or by profile', () => {
    call('PUT', '/sim/behaviour', { update: 'roll', startMs: 7 });
    expect(simulator.platform.behaviour).toMatchObject({ update: 'roll', startMs: 7, rename: 'accept' });
    call('PUT', '/sim/behaviour', { profile: 'contrary', rename: 'accept' });
    expect(simulator.platform.behaviour).toMatchObject({ update: 'roll', rename: 'accept', unknownId: 'success' });
    expect(call('GET', '/sim/behaviour').body['behaviour']).toEqual(simulator.platform.behaviour);
  });

  it('shows the whole state and restores it', async () => {
    const { body } = call('GET', '/sim/state');
    expect(body['state']).toEqual(JSON.parse(JSON.stringify(simulator.platform.snapshot())));
    call('DELETE', '/sim/services/telemetry');
    await clock.advance(5_000);
    expect(simulator.platform.services()).toEqual([]);
    expect(call('PUT', '/sim/state', body)).toMatchObject({ status: 200, body: { services: { total: 1 } } });
    expect(containers().map(({ status }) => status)).toEqual(['running', 'running']);
    const api = simulator.handler({
      method: 'GET',
      target: '/api/v1/service?pageNum=1&pageSize=10',
      headers: {},
      body: new Uint8Array(),
    });
    expect(JSON.parse(Buffer.from(api.body).toString()).data.total).toBe(1);
  });

  it('resets the platform', async () => {
    call('PUT', '/sim/behaviour', { profile: 'contrary' });
    call('PUT', '/sim/link', { lossPercent: 50 });
    expect(call('POST', '/sim/reset')).toMatchObject({ status: 200, body: { services: { total: 0 } } });
    expect(simulator.platform.nodes().map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
    expect(simulator.platform.behaviour.update).toBe('recreate');
    expect(simulator.link.settings.lossPercent).toBe(0);
  });

  it('counts', () => {
    call('POST', '/sim/nodes/node-4/cut');
    expect(call('GET', '/sim/summary').body).toMatchObject({
      ok: true,
      nodes: { total: 4, online: 3 },
      services: { total: 1, deploying: 0, deleting: 0 },
      containers: { total: 2, running: 2, deploying: 0, failed: 0 },
    });
  });

  it.each<[string, string, unknown, number, string]>([
    ['GET', '/sim/stat', undefined, 404, 'there is no route /sim/stat. Did you mean /sim/state?'],
    ['POST', '/sim/nodes/node-1/cutt', undefined, 404, 'Did you mean /sim/nodes/node-1/cut?'],
    ['GET', '/sim/completely/different/things', undefined, 404, 'GET /sim/ lists all routes.'],
    ['PATCH', '/sim/link', undefined, 405, '/sim/link accepts GET or PUT or DELETE, not PATCH'],
    ['POST', '/sim/nodes/nod-1/cut', undefined, 404, 'there is no node "nod-1". Did you mean "node-1"?'],
    ['POST', '/sim/services/telemtry/stop', undefined, 404, 'Did you mean "telemetry"?'],
    ['POST', '/sim/containers/nobody/kill', undefined, 404, 'there is no container "nobody".'],
    ['PUT', '/sim/link', { latencyMS: 5 }, 400, 'there is no field "latencyMS". Did you mean "latencyMs"?'],
    ['PUT', '/sim/link', '{', 400, 'the body is not JSON'],
    ['PUT', '/sim/link', [], 400, 'body should be an object, but is a list'],
    ['PUT', '/sim/link', { frozen: 'yes' }, 400, 'body.frozen should be true or false'],
    ['PUT', '/sim/behaviour', { updat: 'roll' }, 400, 'Did you mean "update"?'],
    ['PUT', '/sim/behaviour', { update: 'sideways' }, 400, 'update has to be recreate or roll, not "sideways"'],
    ['PUT', '/sim/behaviour', { profile: 'lykely' }, 400, 'Did you mean "likely"?'],
    ['PUT', '/sim/state', {}, 400, 'body.state is missing'],
    ['PUT', '/sim/state', { state: { version: 2 } }, 400, 'not the state of a simulator'],
    ['GET', '/sim/journal?limit=lots', undefined, 400, 'limit should be a whole number'],
    ['GET', '/sim/%zz', undefined, 400, 'is not properly percent-encoded'],
    ['POST', '/sim/services/telemetry/edit', { image: 'nothing@1#sylixos' }, 404, '镜像'],
    [
      'POST',
      '/sim/nodes/node-1/fill',
      { memoryPercent: 101 },
      400,
      'body.memoryPercent should be a number from 0 to 100',
    ],
  ])('%s %s with %j is rejected with one sentence', (method, target, body, status, sentence) => {
    const before = simulator.platform.snapshot();
    const answered = call(method, target, body);
    expect([answered.status, answered.body['error']]).toEqual([status, expect.stringContaining(sentence)]);
    expect(simulator.platform.snapshot()).toEqual(before);
  });

  it('rejects a damaged state, and keeps its own', () => {
    const good = JSON.parse(JSON.stringify(simulator.platform.snapshot()));
    const [taskId] = Object.keys(good.containers);
    const damages: ((state: typeof good) => void)[] = [
      (state) => delete state.nodes,
      (state) => (state.agenda = 'soon'),
      (state) => (state.containers[taskId ?? ''].status = 'dancing'),
      (state) => (state.containers[taskId ?? ''].serviceId = 'nobody'),
      (state) => (state.containers[taskId ?? ''].nodeId = 'nowhere'),
      (state) => (state.behaviour.update = 'sideways'),
      (state) => (state.counter = '5'),
    ];
    for (const damage of damages) {
      const state = structuredClone(good);
      damage(state);
      expect(call('PUT', '/sim/state', { state }).status).toBe(400);
    }
    expect(containers()).toHaveLength(2);
    expect(call('PUT', '/sim/state', { state: good }).status).toBe(200);
  });
});
