/** Section 10 of the reference: the load of a node, now and over time, and what runs on it. */
import { expect, it } from 'vitest';
import { exactly, list, listOrNone, object, words } from './form.kit.ts';
import { onEveryPlatform } from './site.kit.ts';
import { gatewayBody } from './worker.kit.ts';

/** Percentages are texts. `rom` is the disk and `ram` the memory. */
const share = object({ percent: 'percentText', size: 'amount' });
const traffic = listOrNone(object({ networkName: 'text', value: 'amount' }));
const process = object({ name: 'text', cpu: object({ percent: 'percentText' }), ram: share });

const sample = object({
  timestamp: 'count',
  type: words('linux', 'sylixos'),
  cpu: object({ percent: 'percentText' }),
  rom: share,
  ram: share,
  processCount: 'count',
  process: list(process),
  upNet: traffic,
  downNet: traffic,
  upTime: 'amount',
  running: 'count',
  stop: 'count',
});

const view = object({
  id: 'uuid',
  ip: 'ip',
  port: 'count',
  name: 'text',
  type: words('linux', 'sylixos'),
  arch: 'text',
  tls: exactly(0),
  status: words('online', 'offline'),
  children: list(
    object({
      id: 'id',
      name: 'text',
      node_id: 'uuid',
      pro_id: 'uuid',
      type: exactly('container'),
      status: words('running', 'stop'),
      config: 'jsonText',
      children: list(
        object({
          id: 'uuid',
          name: 'text',
          type: exactly('service'),
          status: words('complete', 'deploying'),
          health: 'boolean',
        }),
      ),
    }),
  ),
});

onEveryPlatform('the overview', (site) => {
  it('GET /overview/node: returns the current usage of a node', async () => {
    const on = site();
    await on.deployed(gatewayBody);
    const nodeId = on.nodeId('node-4');
    const [now, ...more] = await on.ecsm.overview().nodeMetrics(nodeId);
    const data = on.saw('GET /overview/node', { query: { nodeId, instant: 'true' }, data: list(sample) });
    expect(data).toMatchObject([{ cpu: { percent: now?.cpuPercent?.toFixed(2) } }]);
    expect(more).toEqual([]);
    expect(now).toMatchObject({ timestamp: on.clock.now(), type: 'linux', running: 1, stop: 0 });
    for (const percent of [now?.cpuPercent, now?.ramPercent, now?.romPercent]) expect(percent).toBeGreaterThan(0);
  });

  it('GET /overview/node: returns the usage of a node over a span', async () => {
    const on = site();
    await on.deployed(gatewayBody);
    const nodeId = on.nodeId('node-4');
    const endTime = on.clock.now();
    const span = { startTime: endTime - 120_000, endTime, step: 60 };
    const samples = await on.ecsm.overview().nodeMetrics(nodeId, span);
    const query = {
      nodeId,
      instant: 'false',
      startTime: String(span.startTime),
      endTime: String(endTime),
      step: '60',
    };
    on.saw('GET /overview/node', { query, data: list(sample) });
    expect(samples.map(({ timestamp }) => Number(timestamp) - endTime)).toEqual([-120_000, -60_000, 0]);
  });

  it('GET /overview/platform/node-view/:nodeId: shows the containers of a node, and their services', async () => {
    const on = site();
    const { id: serviceId, taskIds } = await on.deployed(gatewayBody);
    const nodeId = on.nodeId('node-4');
    const shown = await on.ecsm.overview().nodeView(nodeId);
    const data = on.saw('GET /overview/platform/node-view/:nodeId', { path: { nodeId }, data: view });
    expect(data).toEqual({ ...shown, tls: 0 });
    expect(shown).toMatchObject({
      id: nodeId,
      name: 'node-4',
      status: 'online',
      tls: false,
      children: [
        {
          id: taskIds[0],
          node_id: nodeId,
          pro_id: serviceId,
          status: 'running',
          children: [{ id: serviceId, name: 'gateway', status: 'complete', health: true }],
        },
      ],
    });
    expect(JSON.parse(shown.children?.[0]?.config ?? '')).toEqual(gatewayBody.image.config);
  });
});
