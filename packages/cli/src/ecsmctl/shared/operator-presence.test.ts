/** What the commands report when no operator updates the status any more. */
import { ECSMService } from '@ecsm/operator';
import { leaseName, observationName, presenceName } from '@ecsm/operator/kinds';
import { Lease } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { kitPool } from './history.kit.ts';
import { type RegistryKit, serviceInput, startedOperator, usedByOperator } from './registry.kit.ts';

const kits = kitPool(12);
const unreachable = {
  type: 'PlatformReachable',
  status: 'False',
  reason: 'Unreachable',
  message: 'no route',
  lastTransitionTime: '2026-01-02T03:00:05Z',
} as const;

async function kitWith(prepare: (registry: Awaited<ReturnType<RegistryKit['open']>>) => Promise<unknown>) {
  const kit = kits();
  const registry = await kit.open(60_000);
  const services = registry.resource(ECSMService);
  await services.create(serviceInput('telemetry'));
  const counts = { replicas: 2, readyReplicas: 2, updatedReplicas: 2, unavailableReplicas: 0 };
  const conditions = [{ ...unreachable, status: 'True', reason: 'Reachable' } as const];
  await services.updateStatus({ metadata: { name: 'telemetry' }, status: { ...counts, conditions } });
  await usedByOperator(registry);
  await prepare(registry);
  await registry.close();
  return kit;
}

describe('get services', () => {
  it('warns when the process of the operator has ended', async () => {
    const kit = await kitWith((registry) => startedOperator(registry, 4711));
    const { out, err } = await kit.run('get services', { endedProcesses: [4711] });
    expect(out).toContain('telemetry');
    expect(err).toBe(
      'warning: no operator seems to be running: its process 4711 has ended; the status is what it last observed\n',
    );
    expect((await kit.run('get services')).err).toBe('');
    expect((await kit.run('get services -o json', { endedProcesses: [4711] })).err).toBe('');
  });

  it('tells when the leader was last seen', async () => {
    const kit = await kitWith((registry) => startedOperator(registry, 1, 240_000));
    expect((await kit.run('get services')).err).toBe(
      'warning: no operator seems to be running: it was last seen 4 min ago; the status is what it last observed\n',
    );
  });

  it('tolerates clocks that differ by a minute', async () => {
    const kit = await kitWith((registry) => startedOperator(registry, 1, 70_000));
    expect((await kit.run('get services')).err).toBe('');
  });

  it('tells since when the platform is unreachable', async () => {
    const kit = await kitWith(async (registry) => {
      await startedOperator(registry);
      const counts = { replicas: 2, readyReplicas: 2, updatedReplicas: 2, unavailableReplicas: 0 };
      const status = { ...counts, conditions: [unreachable] };
      await registry.resource(ECSMService).updateStatus({ metadata: { name: 'telemetry' }, status });
    });
    const { out, err } = await kit.run('get services');
    expect(out).toContain('Unreachable');
    expect(err).toBe(
      'warning: the platform has been unreachable since 2026-01-02T03:00:05Z (4m); the status is what was observed before\n',
    );
  });

  it('warns about a lease without a holder, unless an operator without one is there', async () => {
    const released = { metadata: { name: leaseName }, spec: { holderIdentity: '' } };
    const kit = await kitWith((registry) => registry.resource(Lease).create(released));
    expect((await kit.run('get services')).err).toContain('the lease "ecsm-operator" has no holder');
    const registry = await kit.open();
    await startedOperator(registry);
    expect((await kit.run('get services')).err).toBe('');
  });

  it('does not warn about services that no operator has observed', async () => {
    const kit = kits();
    const registry = await kit.open();
    await usedByOperator(registry);
    await registry.resource(ECSMService).create(serviceInput('telemetry'));
    const { out, err } = await kit.run('get services');
    expect([out.includes('Pending'), err]).toEqual([true, '']);
  });

  it('and describe tell readers how long ago the platform was observed', async () => {
    const kit = await kitWith(async (registry) => {
      await startedOperator(registry);
      const spec = { holderIdentity: 'here_1_u', leaseDurationSeconds: 60, renewTime: '2026-01-02T03:03:25.000000Z' };
      await registry.resource(Lease).create({ metadata: { name: observationName }, spec });
    });
    const terminal = { columns: 80, rows: 24 };
    expect((await kit.run('get services', { terminal })).err).toBe('observed 40 s ago\n');
    expect((await kit.run('get services')).err).toBe('');
    expect((await kit.run('describe service telemetry')).out).toMatch(/^ {2}Observed: +40 s ago$/m);
  });

  it('warns in every format until an operator has used the registry', async () => {
    const kit = kits();
    const registry = await kit.open();
    const unused = `warning: no operator has ever used this registry: start one with --registry ${kit.url}, or name the registry of yours\n`;
    expect((await kit.run('get services')).err).toBe(`No resources found in default namespace.\n${unused}`);
    await registry.resource(ECSMService).create(serviceInput('telemetry'));
    for (const format of ['wide', 'yaml', 'name'])
      expect((await kit.run(`get services -o ${format}`)).err).toBe(unused);
    await usedByOperator(registry);
    expect((await kit.run('get services')).err).toBe('');
  });
});

describe('commands that wait', () => {
  it('do not warn about an operator that is being started', async () => {
    const kit = await kitWith(async () => {});
    const { test, code } = kit.start('wait service/telemetry --for=condition=Available');
    await test.clock.advance(1_000);
    const registry = await kit.open();
    const holderIdentity = 'elsewhere_1_a';
    const metadata = { name: presenceName, namespace: 'default' };
    await registry.resource(Lease).create({ metadata, spec: { holderIdentity } });
    for (let seconds = 0; seconds < 20; seconds++) await test.clock.advance(1_000);
    test.interrupt();
    await code;
    expect(test.err.text).not.toContain('no operator');
  });

  it('tell that no operator runs', async () => {
    const kit = await kitWith(async () => {});
    const none = 'warning: no operator seems to be running; nothing changes until ecsm-operator is started\n';
    expect((await kit.run('rollout status service/telemetry --watch=false')).err).toBe(none);
    const { test, code } = kit.start('wait service/telemetry --for=condition=Available');
    await expect
      .poll(async () => {
        await test.clock.advance(1_000);
        return test.err.text;
      })
      .toContain(none);
    test.interrupt();
    await code;
  });

  it('tell that the operator has ended while they wait', async () => {
    const kit = await kitWith(startedOperator);
    const { test, code } = kit.start('rollout status service/telemetry');
    await test.clock.advance(30_000);
    expect(test.err.text).not.toContain('no operator');
    await (await kit.open()).resource(Lease).delete(presenceName);
    await expect
      .poll(async () => {
        await test.clock.advance(1_000);
        return test.err.text;
      })
      .toContain('warning: no operator seems to be running');
    test.interrupt();
    await code;
    expect(test.err.text.match(/no operator/g)).toHaveLength(1);
  });

  it('tell it before a short timeout', async () => {
    const kit = await kitWith(async () => {});
    const { test, code } = kit.start('wait service/telemetry --for=condition=Available --timeout 4s');
    await expect
      .poll(async () => {
        await test.clock.advance(500);
        return test.err.text;
      })
      .toContain('timed out');
    await code;
    expect(test.err.text).toContain('warning: no operator seems to be running');
  });
});
