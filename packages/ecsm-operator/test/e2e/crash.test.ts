/**
 * Goal: an operator can be killed at any time during a rolling update; the next one completes the update without duplicate
 * services and without too many or too few instances.
 * Method: responses are delayed, so an operator that is killed as soon as a change is visible on the platform has not
 * received the response. Other operators are killed after it. The platform is polled during the whole test.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../../src/apis/ecsm-service.ts';
import { createdNames, isRunning } from './platform.kit.ts';
import { ended, isSettled, openSite, type Site, serviceInput } from './site.kit.ts';

interface Extremes {
  readonly reads: number;
  readonly instancesMax: number;
  readonly runningMin: number;
}

/** Polls the platform until the returned function is called, which returns the extremes. */
function watch(site: Site): () => Promise<Extremes> {
  let isOver = false;
  const poll = async (): Promise<Extremes> => {
    let seen: Extremes = { reads: 0, instancesMax: 0, runningMin: Number.POSITIVE_INFINITY };
    while (!isOver) {
      const { containers } = await site.platform.state();
      seen = {
        reads: seen.reads + 1,
        instancesMax: Math.max(seen.instancesMax, containers.length),
        runningMin: Math.min(seen.runningMin, containers.filter(isRunning).length),
      };
      await wait(10);
    }
    return seen;
  };
  const watching = poll();
  // An error is reported by the returned function, not as an unhandled rejection.
  watching.catch(() => {});
  return () => {
    isOver = true;
    return watching;
  };
}

/** Everything that an operator can change, as text. */
async function stateText(site: Site): Promise<string> {
  const { services } = await site.platform.state();
  const lines = services.map(({ name, factor, nodeNames }) => `${name} ${factor} ${nodeNames.join()}`);
  return lines.sort().join('; ');
}

const oldImage = 'telemetry@1.0.0#sylixos';
const newImage = 'telemetry@2.0.0#sylixos';

/** Every fourth node has another operating system. */
const onlySylixos = ['node-1', 'node-2', 'node-3', 'node-5', 'node-6'];

function onNodes(image: string): ECSMServiceInput {
  const { spec, ...rest } = serviceInput('telemetry', { image, rolling: true });
  return { ...rest, spec: { ...spec, deploymentStrategy: { type: 'Static', nodes: onlySylixos } } };
}

describe.concurrent('an operator that is killed during a rolling update', () => {
  it.for([
    {
      strategy: 'Dynamic',
      wanted: 6,
      kills: 5,
      of: (image: string) => serviceInput('telemetry', { image, replicas: 6, rolling: true }),
    },
    { strategy: 'Static', wanted: 5, kills: 3, of: onNodes },
  ])('is replaced by one that completes it: $strategy, $kills times', async ({ wanted, kills, of }, test) => {
    const site = await openSite(test, '--latency', '100', '--nodes', '6');
    const first = await site.startOperator();
    await site.apply(of(oldImage));
    await site.untilSettled('telemetry');
    await ended(first, 'SIGKILL');
    const stopWatching = watch(site);
    await site.apply(of(newImage));

    for (let kill = 0; kill < kills; kill++) {
      const before = await stateText(site);
      const known = (await site.platform.calls()).at(-1)?.number ?? 0;
      const operator = await site.startOperator();
      await site.until(`change ${kill}`, async () => ((await stateText(site)) === before ? undefined : true));
      if (kill % 2 === 1) {
        // Every other operator has received the response and continues with the next step.
        await site.until('a response', async () =>
          (await site.platform.changes(known)).length > 0 ? true : undefined,
        );
      }
      await ended(operator, 'SIGKILL');
      const service = await site.service('telemetry');
      expect(service && isSettled(service)).toBe(false);
    }

    await site.startOperator();
    await site.untilSettled('telemetry');
    const { reads, instancesMax, runningMin } = await stopWatching();
    const { services, containers } = await site.platform.state();
    expect(services).toMatchObject([{ image: { ref: newImage } }]);
    expect(services[0]?.name).toMatch(/^telemetry-[0-9a-f]{8}$/);
    expect(containers.filter(isRunning).map(({ imageRef }) => imageRef)).toEqual(Array(wanted).fill(newImage));
    expect(createdNames(await site.platform.calls())).toEqual(['telemetry', services[0]?.name]);
    expect(reads).toBeGreaterThan(20);
    expect(instancesMax).toBeLessThanOrEqual(wanted + 1);
    expect(runningMin).toBeGreaterThanOrEqual(wanted - 1);
  });
});

describe.concurrent('two operators with one registry', () => {
  it('the second takes over when the leader is killed', async (test) => {
    const site = await openSite(test);
    const leader = await site.startOperator('--leader-elect');
    await leader.until(/leader election: leading/);
    const other = await site.startOperator('--leader-elect');
    await site.apply(serviceInput('telemetry'));
    await site.untilSettled('telemetry');
    await ended(leader, 'SIGKILL');
    expect(other.output()).not.toContain('leader election: leading');
    const before = (await site.platform.calls()).at(-1)?.number ?? 0;
    await site.apply(serviceInput('telemetry', { image: newImage }));

    // Nothing is changed before the lease of the killed leader expires.
    await other.until(/leader election: leading/);
    await site.untilSettled('telemetry');
    expect((await site.platform.state()).services).toMatchObject([{ name: 'telemetry', image: { ref: newImage } }]);
    expect((await site.platform.changes(before)).map(({ endpoint }) => endpoint)).toEqual(['PUT /service']);
    expect(createdNames(await site.platform.calls())).toEqual(['telemetry']);
  });
});
