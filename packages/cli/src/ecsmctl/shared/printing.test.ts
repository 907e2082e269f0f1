import { displayWidth } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator';
import { EventRecorder, keyOf } from '@ecsm/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry, registryKit, serviceInput } from './registry.kit.ts';

const kit = registryKit();
beforeAll(async () => {
  await fillRegistry(kit);
  const registry = await kit.open();
  const services = registry.resource(ECSMService);
  await services.create(
    serviceInput('gateway', { template: { image: 'a-name-of-an-image-that-is-rather-long@1.0.0#sylixos' } }),
  );
  await services.updateStatus({ metadata: { name: 'gateway' }, status: { readyReplicas: 2 } });
  await services.create(
    serviceInput('looping', { deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['node-1'] } }),
  );
  const time = { message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await services.updateStatus({
    metadata: { name: 'looping' },
    status: {
      ...{ observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3 },
      instances: [{ name: 'looping-1', nodeName: 'node-2', state: 'Ready', restarts: 1_368 }],
      conditions: [
        { type: 'Available', status: 'True', reason: 'EnoughReady', ...time },
        { type: 'Degraded', status: 'True', reason: 'CrashLoop', ...time },
      ],
    },
  });
  const recorder = new EventRecorder({ registry, source: 'test' });
  recorder.record(await services.get('gateway'), 'Warning', 'Refused', 'started with --db-password=hunter2');
  await recorder.flush();
  await registry.store.commit([
    { type: 'put', key: keyOf(ECSMService, 'default', 'broken'), value: Buffer.from('{"kind":') },
  ]);
  await registry.close();
});

describe('printed objects', () => {
  it('have colours on a terminal: for readiness and for problems', async () => {
    const { out } = await kit.run('get services', { terminal: { columns: 120, rows: 24 }, coloured: true });
    expect(out).toContain('\u001b[31m0/2\u001b[39m');
    expect(out).toContain('\u001b[33m1/2\u001b[39m');
    expect(out).toContain('\u001b[32m2/2\u001b[39m');
    // All instances of a crash loop may be ready: they run until the next crash.
    expect(out.replaceAll('\u001b', '')).toMatch(/\[33m3\/3\[39m +CrashLoop +1368 /);
    const { out: described } = await kit.run('describe service telemetry', { coloured: true });
    expect(described).toContain('\u001b[1mName:       \u001b[22m');
    // Not available is as bad as degraded.
    expect(described).toContain('\u001b[31mFalse\u001b[39m');
    expect(described).toContain('\u001b[31mTrue\u001b[39m');
  });

  it('have no control codes in a pipe', async () => {
    for (const line of ['get services', 'describe services', 'events', 'explain service', 'api-resources']) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect((await kit.run(line)).out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }
  });

  it.each([30, 40, 50, 60, 70, 80, 100])(
    'fits a terminal of %i columns, with names that are whole',
    async (columns) => {
      const { out } = await kit.run('get services -A', { terminal: { columns, rows: 24 } });
      for (const line of out.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      expect(out).toMatch(/ telemetry {3}/);
    },
  );

  it('contain their values as objects, and not as text unless they are asked for', async () => {
    for (const format of ['yaml', 'json', "jsonpath='{..password}'", 'custom-columns=A:.spec.template.vsoa.password']) {
      const { code, out } = await kit.run(`get services -o ${format}`);
      expect([code, out]).toEqual([0, expect.stringContaining('hunter2')]);
    }
    for (const line of ['get services -o wide', 'get services -o name', 'describe services']) {
      expect((await kit.run(line)).out).not.toContain('hunter2');
    }
    expect((await kit.run('describe services --show-values --no-events')).out).toContain('hunter2');
    for (const line of ['describe services', 'events', 'get events']) {
      const { out } = await kit.run(line);
      expect(out).toContain('--db-password=<hidden>');
      expect(out).not.toContain('hunter2');
    }
  });

  it('include readable records after an unreadable one', async () => {
    const { code, out, err } = await kit.run('get services -o name');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'ecsmservice/camera\necsmservice/gateway\necsmservice/looping\necsmservice/telemetry\n',
    });
    expect(err).toMatch(/^warning: ecsm\.sh\/v1\/ecsmservices\/default\/broken cannot be read: .+\n$/);
  });
});
