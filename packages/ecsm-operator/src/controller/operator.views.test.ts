/** The platform as Kubernetes' objects, through the operator: what clients see, and which calls that costs. */
import type { ObjectList } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeMetrics, PodMetrics } from '../views/metrics-kinds.ts';
import type { Pod } from '../views/pod-kind.ts';
import { dynamic, fixed, Site } from './operator.kit.ts';

let site: Site;
beforeEach(() => {
  site = new Site({ nodes: 4 }).start();
});
afterEach(() => site.stop());

const views = () => {
  const [nodes, pods, nodeMetrics, podMetrics] = site.operator.views;
  return { nodes, pods, nodeMetrics, podMetrics };
};

/** Waits on virtual time: the calls of a list may take some. */
const listed = <Spec, Status>(list: Promise<ObjectList<Spec, Status>>) => site.clock.run(list);
const pods = async (options: Parameters<ReturnType<typeof views>['pods']['resource']['list']>[0] = {}) =>
  (await listed(views().pods.resource.list(options))).items;
const nodes = async () => (await listed(views().nodes.resource.list())).items;
interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
const readyOf = ({ status }: WithConditions) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const callsSince = (number: number) => site.simulator.journal.entries(number).map(({ endpoint }) => endpoint);
/** Of calls that only views make. */
const viewCalls = (number: number) =>
  callsSince(number).filter((endpoint) =>
    ['GET /container/node', 'GET /node/status', 'GET /node/:id'].includes(endpoint),
  );

function createForeign(name: string, nodeName = 'node-4', config: object = {}): void {
  site.platform.createService({
    name,
    image: {
      ref: site.platform.nodeNamed(nodeName)?.type === 'linux' ? 'nginx@1.0.0#linux' : 'telemetry@1.0.0#sylixos',
      action: 'run',
      config,
      vsoa: null,
      pullPolicy: 'IfNotPresent',
      autoUpgrade: 'Never',
    },
    nodeNames: [nodeName],
    factor: 1,
    policy: 'static',
    prepull: false,
  } as never);
}

describe('the views of an operator', () => {
  it('read nothing until a client asks', async () => {
    await site.apply(dynamic('web'));
    await site.ready('web');
    await site.clock.advance(300_000);
    expect(viewCalls(0)).toEqual([]);
    await pods();
    await nodes();
    const { last } = site.simulator.journal;
    await site.clock.advance(300_000);
    expect(viewCalls(last)).toEqual([]);
  });

  it('show nodes with capacity, version and state', async () => {
    const [node] = await nodes();
    expect(node).toMatchObject({
      metadata: { name: 'node-1', uid: site.platform.nodeNamed('node-1')?.id },
      status: {
        capacity: { cpu: expect.stringMatching(/^\d+$/), memory: expect.stringMatching(/^\d+Ki$/) },
        nodeInfo: { kubeletVersion: site.platform.nodeNamed('node-1')?.ecsdVersion },
      },
    });
    expect((await nodes()).map(readyOf)).toEqual(['True', 'True', 'True', 'True']);
    const { last } = site.simulator.journal;
    await site.clock.advance(2_000);
    await nodes();
    expect(callsSince(last).filter((endpoint) => endpoint === 'GET /node/:id')).toEqual([]);
  });

  it('show the instances of an ECSMService as its pods, without reading the service', async () => {
    await site.apply(dynamic('web'));
    await site.apply({ ...fixed('gate'), metadata: { name: 'gate', namespace: 'edge' } });
    await site.ready('web');
    await site.clock.advance(60_000);
    const { last } = site.simulator.journal;
    const found = await pods();
    expect(new Set(callsSince(last))).toEqual(new Set(['GET /node', 'GET /container/node']));
    expect(found.map(({ metadata }) => metadata.namespace)).toEqual([
      ...Array(3).fill('default'),
      ...Array(3).fill('edge'),
    ]);
    const service = await site.get('web');
    for (const pod of await pods({ namespace: 'default' })) {
      expect(pod.metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'ECSMService', name: 'web', uid: service?.metadata.uid }),
      ]);
      expect(pod.metadata.labels).toMatchObject({
        'ecsm.sh/service': 'web',
        'ecsm.sh/revision': service?.status?.currentRevision,
      });
      expect(pod.status?.phase).toBe('Running');
    }
    const onNode = await pods({ fieldSelector: 'spec.nodeName=node-1,status.phase!=Failed,status.phase!=Succeeded' });
    expect(onNode.map(({ metadata }) => metadata.labels?.['ecsm.sh/service'])).toEqual(['web', 'gate']);
    const name = found[0]?.metadata.name ?? '';
    expect((await site.clock.run(views().pods.resource.get(name))).metadata.uid).toBe(found[0]?.metadata.uid);
  });

  it('show the same pods in a process that does not lead', async () => {
    await site.apply(dynamic('web'));
    createForeign('stray');
    await site.ready('web');
    const asLeader = await pods();
    await site.stop();
    const { last } = site.simulator.journal;
    await site.clock.advance(2_000);
    const withoutVersion = ({ metadata: { resourceVersion: _, ...metadata }, spec }: Pod) => ({ metadata, spec });
    expect((await pods()).map(withoutVersion)).toEqual(asLeader.map(withoutVersion));
    expect(callsSince(last).filter((endpoint) => endpoint === 'GET /service/:id')).toHaveLength(1);
    await site.clock.advance(2_000);
    await pods();
    // The mark is remembered, and the name of the other one is not that of an ECSMService.
    expect(callsSince(last).filter((endpoint) => endpoint === 'GET /service/:id')).toHaveLength(1);
  });

  it('show containers of others in a namespace of their own, also under the name of an ECSMService', async () => {
    createForeign('web');
    createForeign('Nginx Server');
    await site.clock.advance(20_000);
    await site.apply(dynamic('web'));
    await site.clock.advance(60_000);
    const found = await pods();
    expect(found.map(({ metadata }) => metadata.namespace)).toEqual(['ecsm-unmanaged', 'ecsm-unmanaged']);
    expect(found.map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
    await site.edit('web', { metadata: { annotations: { 'ecsm.sh/adopt': 'true' } } });
    await site.ready('web');
    expect((await pods({ namespace: 'default' })).length).toBe(3);
    expect((await pods({ namespace: 'ecsm-unmanaged' })).length).toBe(1);
  });

  it('show the containers of another registry as those of others, also under the same name', async () => {
    await site.apply(dynamic('web'));
    await site.ready('web');
    const config = { env: [`ECSM_OWNER=another/edge/gate/uid-1`, 'ECSM_REVISION=12ab34cd'] };
    createForeign('edge.gate', 'node-4', config);
    await site.apply({ ...fixed('gate'), metadata: { name: 'gate', namespace: 'edge' } });
    await site.clock.advance(60_000);
    expect((await pods()).map(({ metadata }) => metadata.namespace)).toEqual([
      ...Array(3).fill('default'),
      'ecsm-unmanaged',
    ]);
  });

  it('show a lost node and its pods as such, with the capacity that it had', async () => {
    await site.apply(fixed('gate'));
    await site.ready('gate');
    const before = await nodes();
    site.platform.cutNode(site.platform.nodeNamed('node-2')?.id ?? '');
    await site.clock.advance(30_000);
    const after = await nodes();
    expect(after.map(readyOf)).toEqual(['True', 'False', 'True', 'True']);
    expect(after[1]?.status?.capacity).toEqual(before[1]?.status?.capacity);
    expect(after[1]?.status?.conditions?.[0]?.lastTransitionTime).toBeDefined();
    // Nothing else changed, so the version did not either.
    expect(after[0]).toEqual(before[0]);
    const [pod] = await pods({ fieldSelector: 'spec.nodeName=node-2' });
    expect([pod?.status?.phase, pod && readyOf(pod)]).toEqual(['Unknown', 'False']);
    const { items } = await listed(views().nodeMetrics.resource.list());
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['node-1', 'node-3', 'node-4']);
  });

  it('measure nodes and pods with one read each', async () => {
    await site.apply(dynamic('web', {}, 2));
    await site.ready('web');
    const { last } = site.simulator.journal;
    const [nodeUsage, podUsage, podList] = await Promise.all([
      listed(views().nodeMetrics.resource.list()),
      listed(views().podMetrics.resource.list()),
      listed(views().pods.resource.list()),
    ]);
    expect(callsSince(last).filter((endpoint) => endpoint === 'GET /container/node')).toHaveLength(1);
    expect(podUsage.items.map(({ metadata }) => metadata.name)).toEqual(
      podList.items.map(({ metadata }) => metadata.name),
    );
    for (const item of podUsage.items) {
      expect(PodMetrics.fieldsOf(item).containers).toEqual([
        { name: 'web', usage: { cpu: expect.stringMatching(/^[1-9]\d*n$/), memory: '16384Ki' } },
      ]);
    }
    for (const item of nodeUsage.items) expect(NodeMetrics.fieldsOf(item).usage['cpu']).toMatch(/^[1-9]\d*n$/);
  });

  it('watch pods while they are created, changed and deleted', async () => {
    const { resourceVersion } = await listed(views().pods.resource.list());
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { events } of views().pods.resource.watch({ resourceVersion, signal: stop.signal })) {
        for (const event of events)
          if (event.type !== 'Problem') seen.push(`${event.type} ${event.object.status?.phase}`);
      }
    })();
    await site.apply(dynamic('web', {}, 1));
    await site.ready('web');
    await site.clock.advance(6_000);
    expect(seen.at(0)).toMatch(/^Added /);
    expect(seen.at(-1)).toMatch(/^(Added|Modified) Running$/);
    await site.services.delete('web');
    await site.clock.until(() => seen.at(-1) === 'Deleted Running', 60_000);
    stop.abort();
    await watching;
    const { last } = site.simulator.journal;
    await site.clock.advance(60_000);
    expect(viewCalls(last)).toEqual([]);
  });
});

describe('the views without a link to the platform', () => {
  it('show what is known, and how old it is', async () => {
    await site.apply(dynamic('web'));
    await site.ready('web');
    await nodes();
    const before = await pods();
    const observedAt = site.clock.now();
    site.simulator.link.set({ lossPercent: 100 });
    await site.clock.advance(60_000);
    const after = await pods();
    expect(after.map(({ metadata }) => metadata.name)).toEqual(before.map(({ metadata }) => metadata.name));
    const age = new Date(after[0]?.metadata.annotations?.['ecsm.sh/observed-at'] ?? '').getTime();
    expect(Math.abs(age - observedAt)).toBeLessThan(2_000);
    expect((await nodes()).map(readyOf)).toEqual(['Unknown', 'Unknown', 'Unknown', 'Unknown']);
    expect((await nodes())[0]?.status?.conditions?.[0]?.message).not.toContain('next probe');
    const { last } = site.simulator.journal;
    await nodes();
    expect(viewCalls(last)).toEqual([]);
    site.simulator.link.heal();
    await site.clock.until(() => site.operator.breaker.state === 'reachable');
    await site.clock.advance(2_000);
    expect((await nodes()).map(readyOf)).toEqual(['True', 'True', 'True', 'True']);
    expect((await pods())[0]?.metadata.annotations?.['ecsm.sh/observed-at']).toBeUndefined();
  });

  it('say so if nothing is known', async () => {
    site.simulator.link.set({ lossPercent: 100 });
    await site.clock.advance(60_000);
    for (const { resource, kind } of site.operator.views) {
      const list: Promise<unknown> = resource.list();
      await expect(site.clock.run(list)).rejects.toThrow(
        new RegExp(
          `^the list of ${kind.plural} is unavailable: nothing was read from the platform yet: .*did not respond`,
        ),
      );
    }
  });
});

describe('the views of a large fleet', () => {
  it('list 1,000 containers in pages, with few calls', async () => {
    for (let number = 1; number <= 250; number++) {
      for (const node of [1, 2, 3, 4]) createForeign(`load-${node}-${number}`, `node-${node}`);
    }
    await site.clock.advance(60_000);
    const { last } = site.simulator.journal;
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page = await listed(views().pods.resource.list({ limit: 300, ...(token && { continue: token }) }));
      names.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.continue;
    } while (token !== undefined);
    expect(names.length).toBe(1_000);
    expect(new Set(names).size).toBe(1_000);
    expect(names).toEqual([...names].sort());
    expect(viewCalls(last)).toEqual(['GET /container/node']);
    expect((await pods({ fieldSelector: 'spec.nodeName=node-3' })).length).toBe(250);
  });
});
