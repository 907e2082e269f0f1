/**
 * Rollouts for real: a simulated platform over HTTP, an operator, and ecsmctl beside it on the same registry. What is
 * printed is compared where it does not depend on how quick the machine is.
 */
import { ECSMService } from '@ecsm/operator';
import { describe, expect, it } from 'vitest';
import { openSite, telemetry, until } from './site.kit.ts';

const rolledOut = { code: 0, out: '"telemetry" successfully rolled out\n' };

describe('a rollout', () => {
  it('can be followed, listed, undone, restarted, paused and resumed', async () => {
    const site = await openSite();
    const images = () => site.simulator.platform.services().map(({ name }) => name);
    await site.apply(telemetry('1.0.0'));
    site.operate();
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    await site.apply(telemetry('2.0.0'));
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    const [first = '', second = ''] = (await site.run('rollout history service/telemetry --no-headers')).out.split(
      '\n',
    );
    expect(first).toMatch(/^1 {3}[0-9a-f]{8} {3}telemetry@1\.0\.0#sylixos {3}\d+s$/);
    expect(second).toMatch(/^2 {3}[0-9a-f]{8} {3}telemetry@2\.0\.0#sylixos {3}\d+s {3}current$/);
    const hash = first.slice(4, 12);

    const undone = await site.run('rollout undo service/telemetry');
    expect(undone.out).toBe(`ecsmservice/telemetry rolled back to revision 1 (${hash}, telemetry@1.0.0#sylixos)\n`);
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    // The very same revision again, so the platform's service carries its hash.
    expect((await site.get('telemetry')).status?.currentRevision).toBe(hash);
    expect(images()).toEqual([`telemetry-${hash}`]);

    await site.run('rollout restart service/telemetry');
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    const restarted = (await site.get('telemetry')).status?.currentRevision;
    expect(restarted).not.toBe(hash);
    expect(images()).toEqual([`telemetry-${restarted}`]);

    await site.run('rollout pause service/telemetry');
    await site.apply(telemetry('2.0.0'));
    await until(async () => {
      const { out } = await site.run('rollout status service/telemetry --watch=false');
      return out.startsWith('waiting for "telemetry": it is paused');
    });
    expect(images()).toEqual([`telemetry-${restarted}`]);
    expect((await site.run('rollout history service/telemetry --no-headers')).out).toMatch(
      /2\.0\.0#sylixos +\d+s +paused\n$/,
    );
    await site.run('rollout resume service/telemetry');
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    expect((await site.run('wait service/telemetry --for=condition=available')).out).toBe(
      'ecsmservice/telemetry condition met\n',
    );
  });

  it('shows its progress', async () => {
    const site = await openSite({ startMs: 900, stopMs: 100, deleteMs: 100 });
    await site.apply(telemetry('1.0.0'));
    site.operate();
    const { code, out, err } = await site.run('rollout status service/telemetry --timeout 1m');
    expect({ code, out }).toEqual(rolledOut);
    expect(err).toMatch(
      /^waiting for "telemetry" \(\d+ s of 60 s\): \d of 2 (updated )?instances are (updated|ready)\n/m,
    );
  });

  it('that is stuck fails with the message of the platform', async () => {
    const site = await openSite();
    site.sim('deployments/fail', { count: 1_000, service: 'telemetry', message: 'no space left on device' });
    await site.apply(telemetry('1.0.0', { updateStrategy: { type: 'InPlace', progressDeadlineSeconds: 1 } }));
    site.operate();
    const { code, out, err } = await site.run('rollout status service/telemetry --timeout 1m');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^ecsmctl: "telemetry" is not rolled out: ProgressDeadlineExceeded: .*no space left on device.*\n$/m,
    );
  });

  it('reports a platform that does not respond', async () => {
    const site = await openSite();
    await site.apply(telemetry('1.0.0'));
    site.operate();
    expect(await site.run('rollout status service/telemetry')).toMatchObject(rolledOut);
    site.simulator.link.set({ errorPercent: 100 });
    await site.apply(telemetry('2.0.0'));
    const { test, code } = site.start('rollout status service/telemetry');
    await until(() => /the platform has been unreachable since \S+Z/.test(test.err.text));
    site.simulator.link.heal();
    expect(await code).toBe(0);
    expect(test.out.text).toBe(rolledOut.out);
  });
});

describe('wait', () => {
  it('detects that a service is created, becomes available, and is deleted', async () => {
    const site = await openSite();
    const created = site.start('wait service/telemetry --for=create --timeout 1m');
    await until(() => created.test.err.text.includes('ecsmservice/telemetry (it does not exist)'));
    await site.apply(telemetry('1.0.0'));
    expect(await created.code).toBe(0);
    const ready = site.start("wait service/telemetry --for=jsonpath='{.status.readyReplicas}'=2 --timeout 1m");
    site.operate();
    expect(await ready.code, ready.test.err.text).toBe(0);
    expect(await site.run('wait services --all --for=condition=Available')).toMatchObject({ code: 0 });
    const gone = site.start('wait service/telemetry --for=delete --timeout 1m');
    await until(() => gone.test.err.text.includes('it exists'));
    await site.registry.resource(ECSMService).delete('telemetry');
    expect(await gone.code).toBe(0);
    expect(gone.test.out.text).toBe('ecsmservice/telemetry condition met\n');
    expect(site.simulator.platform.services()).toEqual([]);
  });
});
