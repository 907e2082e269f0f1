/** Rolling updates on a simulated platform: within their bounds, and with one service at the end. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../apis/ecsm-service.ts';
import { dynamic, fixed, Site, type SiteOptions } from './operator.kit.ts';
import { listRevisions, revisionOf } from './revisions.ts';

let site: Site;
afterEach(() => site.stop());

const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } as const;
const inputs: Record<string, ECSMServiceInput> = {
  Dynamic: dynamic('web', { updateStrategy: rolling }, 4),
  Static: fixed('web', { updateStrategy: rolling }),
};

async function opened(input: ECSMServiceInput, options?: SiteOptions): Promise<void> {
  site = new Site(options).start();
  await site.apply(input);
  await site.ready('web');
  await site.clock.advance(20_000);
}

const toImage = (tag: string) => site.edit('web', { spec: { template: { image: `telemetry@${tag}#sylixos` } } });
const images = () => site.platform.services().map(({ image }) => image.ref);

function counts() {
  const services = site.platform.services();
  const containers = services.flatMap(({ id }) => site.platform.containersOfService(id));
  const sizes = services.map(({ policy, factor, nodeNames }) => (policy === 'static' ? nodeNames.length : factor));
  const ready = containers.filter(
    (one) => one.deployStatus === 'success' && site.platform.statusOf(one) === 'running',
  ).length;
  return { total: sizes.reduce((sum, size) => sum + size, 0), ready, services: services.length };
}

/** Goes on step by step until all is at rest, and looks at the bounds at each of them. */
async function rolledOut(wanted: number, limitMs = 600_000): Promise<void> {
  let readyMin = Number.POSITIVE_INFINITY;
  let totalMax = 0;
  const look = () => {
    const { ready, total } = counts();
    readyMin = Math.min(readyMin, ready);
    totalMax = Math.max(totalMax, total);
  };
  const startMs = site.clock.now();
  for (;;) {
    look();
    await site.clock.advance(100);
    const isDone = (await site.condition('web', 'Progressing')) === 'True Complete' && (await site.operator.settled());
    if (isDone && counts().services === 1) break;
    if (site.clock.now() - startMs > limitMs)
      expect.fail(`not rolled out: ${site.shown()} ${JSON.stringify(counts())}`);
  }
  look();
  expect(totalMax).toBeLessThanOrEqual(wanted + 1);
  expect(readyMin).toBeGreaterThanOrEqual(wanted - 1);
}

describe.each(Object.entries(inputs))('a rolling update of a %s service', (type, input) => {
  const wanted = type === 'Dynamic' ? 4 : 3;

  it.each(['likely', 'contrary'] as const)('keeps its bounds on a platform that is %s', async (behaviour) => {
    await opened(input, { behaviour: behaviour === 'contrary' ? { updateServiceId: 'new', updateTaskId: 'new' } : {} });
    await toImage('1.1.0');
    await rolledOut(wanted);
    expect(images()).toEqual(['telemetry@1.1.0#sylixos']);
    expect(site.platform.services()[0]?.name).toMatch(/^web-[0-9a-f]{8}$/);
    expect((await site.get('web'))?.status).toMatchObject({ replicas: wanted, updatedReplicas: wanted });
    const calls = site.simulator.journal.last;
    await site.clock.advance(600_000);
    expect(site.writesSince(calls)).toEqual([]);
  });

  it('continues with the newest revision', async () => {
    await opened(input);
    await toImage('1.1.0');
    await site.clock.until(() => counts().services === 2);
    await toImage('2.0.0');
    await rolledOut(wanted);
    expect(images()).toEqual(['telemetry@2.0.0#sylixos']);
  });

  it('can be undone while in progress', async () => {
    await opened(input);
    await toImage('1.1.0');
    await site.clock.until(() => counts().services === 2);
    await site.clock.advance(5_000);
    await toImage('1.0.0');
    await rolledOut(wanted);
    expect(images()).toEqual(['telemetry@1.0.0#sylixos']);
  });

  it('stops while it is paused, and continues afterwards', async () => {
    await opened(input);
    await toImage('1.1.0');
    await site.clock.until(() => counts().services === 2);
    await site.edit('web', { spec: { paused: true } });
    await site.clock.advance(30_000);
    const shown = site.shown();
    const calls = site.simulator.journal.last;
    await site.clock.advance(300_000);
    expect(site.shown()).toEqual(shown);
    expect(site.writesSince(calls)).toEqual([]);
    expect(await site.condition('web', 'Progressing')).toMatch(/Paused$/);
    await site.edit('web', { spec: { paused: false } });
    await rolledOut(wanted);
    expect(images()).toEqual(['telemetry@1.1.0#sylixos']);
  });

  it('is continued by an operator that starts during it', async () => {
    await opened(input);
    await toImage('1.1.0');
    await site.clock.until(() => counts().services === 2);
    for (let life = 0; life < 4; life++) {
      await site.stop();
      site.start();
      await site.clock.advance(3_000);
    }
    await rolledOut(wanted);
    expect(images()).toEqual(['telemetry@1.1.0#sylixos']);
  });
});

it('a restart rolls out the same template again', async () => {
  await opened(inputs['Dynamic'] ?? expect.fail());
  const before = site.platform.services()[0]?.id;
  await site.edit('web', { metadata: { annotations: { 'ecsm.sh/restartedAt': '2026-01-02T04:00:00Z' } } });
  await rolledOut(4);
  expect(site.platform.services()[0]?.id).not.toBe(before);
  expect(images()).toEqual(['telemetry@1.0.0#sylixos']);
});

it('a bad image stops at the bounds, is reported at the deadline, and can be undone', async () => {
  await opened(dynamic('web', { updateStrategy: { ...rolling, progressDeadlineSeconds: 60 } }, 4));
  const service = (await site.get('web')) ?? expect.fail();
  const template = { ...service.spec.template, image: 'telemetry@1.1.0#sylixos' };
  const { hash } = revisionOf({ ...service, spec: { ...service.spec, template } });
  site.platform.failDeployments({ service: `web-${hash}`, count: 1_000, message: 'bad image' });
  await toImage('1.1.0');
  await site.clock.advance(180_000);
  expect(counts().ready).toBeGreaterThanOrEqual(3);
  expect(await site.condition('web', 'Progressing')).toBe('False ProgressDeadlineExceeded');
  expect(await site.condition('web', 'Available')).toBe('True EnoughReady');
  await toImage('1.0.0');
  await site.clock.advance(1_000);
  await site.clock.until(() => counts().services === 1 && counts().ready === 4, 300_000);
  expect(images()).toEqual(['telemetry@1.0.0#sylixos']);
});

it('the history is limited, and contains every running revision', async () => {
  await opened(dynamic('web', { updateStrategy: rolling, revisionHistoryLimit: 2 }, 2));
  for (const tag of ['1.1.0', '2.0.0', '1.0.0', '1.1.0', '2.0.0']) {
    await toImage(tag);
    await site.clock.advance(1_000);
    await site.ready('web', 600_000);
  }
  for (let number = 1; number <= 5; number++) {
    await site.edit('web', { spec: { template: { env: [{ name: 'N', value: String(number) }] } } });
    await site.clock.advance(1_000);
    await site.ready('web', 600_000);
  }
  const service = (await site.get('web')) ?? expect.fail();
  const revisions = [...(await listRevisions(site.registry, service))].sort((a, b) => b.spec.number - a.spec.number);
  expect(revisions).toHaveLength(3);
  expect(revisions[0]?.spec.hash).toBe(service.status?.currentRevision);
  expect(site.platform.services()[0]?.name).toBe(`web-${service.status?.currentRevision}`);
});
