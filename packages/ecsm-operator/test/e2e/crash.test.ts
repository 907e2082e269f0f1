/**
 * Goal: an operator may die at any moment of a rolling update, and the next one carries it on without anything being
 * made twice or too many or too few instances being there.
 * Method: every call takes a while on its way back, so an operator that is killed as soon as a change shows on the
 * platform has not heard of it yet. Others are killed when they have. Somebody looks at the platform all the time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../../src/apis/ecsm-service.ts';
import { isRunning, namesMade } from './platform.kit.ts';
import { ended, isSettled, openSite, type Site, wish } from './site.kit.ts';

interface Extremes {
  readonly looks: number;
  readonly instancesMax: number;
  readonly runningMin: number;
}

/** Looks at the platform again and again until it is told to stop, and then tells what the extremes were. */
function watch(site: Site): () => Promise<Extremes> {
  let isOver = false;
  const look = async (): Promise<Extremes> => {
    let seen: Extremes = { looks: 0, instancesMax: 0, runningMin: Number.POSITIVE_INFINITY };
    while (!isOver) {
      const { containers } = await site.platform.look();
      seen = {
        looks: seen.looks + 1,
        instancesMax: Math.max(seen.instancesMax, containers.length),
        runningMin: Math.min(seen.runningMin, containers.filter(isRunning).length),
      };
      await wait(10);
    }
    return seen;
  };
  const watching = look();
  // Whoever stops it hears of it; until then it is nobody's.
  watching.catch(() => {});
  return () => {
    isOver = true;
    return watching;
  };
}

/** What an operator can change, in a line. */
async function arrangement(site: Site): Promise<string> {
  const { services } = await site.platform.look();
  const lines = services.map(({ name, factor, nodeNames }) => `${name} ${factor} ${nodeNames.join()}`);
  return lines.sort().join('; ');
}

const oldImage = 'telemetry@1.0.0#sylixos';
const newImage = 'telemetry@2.0.0#sylixos';

/** Every fourth is another system. */
const onlySylixos = ['node-1', 'node-2', 'node-3', 'node-5', 'node-6'];

function onNodes(image: string): ECSMServiceInput {
  const { spec, ...rest } = wish('telemetry', { image, rolling: true });
  return { ...rest, spec: { ...spec, deploymentStrategy: { type: 'Static', nodes: onlySylixos } } };
}

describe.concurrent('an operator that is killed in the middle of a rolling update', () => {
  it.for([
    {
      strategy: 'Dynamic',
      wanted: 6,
      kills: 5,
      of: (image: string) => wish('telemetry', { image, replicas: 6, rolling: true }),
    },
    { strategy: 'Static', wanted: 5, kills: 3, of: onNodes },
  ])('is replaced by one that ends it: $strategy, $kills times', async ({ wanted, kills, of }, test) => {
    const site = await openSite(test, '--latency', '100', '--nodes', '6');
    const first = await site.startOperator();
    await site.apply(of(oldImage));
    await site.untilSettled('telemetry');
    await ended(first, 'SIGKILL');
    const stopWatching = watch(site);
    await site.apply(of(newImage));

    for (let kill = 0; kill < kills; kill++) {
      const before = await arrangement(site);
      const known = (await site.platform.calls()).at(-1)?.number ?? 0;
      const operator = await site.startOperator();
      await site.until(`change ${kill}`, async () => ((await arrangement(site)) === before ? undefined : true));
      if (kill % 2 === 1) {
        // Every other one has heard of it, and is at what comes next.
        await site.until('an answer', async () => ((await site.platform.changes(known)).length > 0 ? true : undefined));
      }
      await ended(operator, 'SIGKILL');
      const service = await site.service('telemetry');
      expect(service && isSettled(service)).toBe(false);
    }

    await site.startOperator();
    await site.untilSettled('telemetry');
    const { looks, instancesMax, runningMin } = await stopWatching();
    const { services, containers } = await site.platform.look();
    expect(services).toMatchObject([{ image: { ref: newImage } }]);
    expect(services[0]?.name).toMatch(/^telemetry-[0-9a-f]{8}$/);
    expect(containers.filter(isRunning).map(({ imageRef }) => imageRef)).toEqual(Array(wanted).fill(newImage));
    expect(namesMade(await site.platform.calls())).toEqual(['telemetry', services[0]?.name]);
    expect(looks).toBeGreaterThan(20);
    expect(instancesMax).toBeLessThanOrEqual(wanted + 1);
    expect(runningMin).toBeGreaterThanOrEqual(wanted - 1);
  });
});

describe.concurrent('of two operators on one registry', () => {
  it('one works, and when it is killed the other goes on', async (test) => {
    const site = await openSite(test);
    const leader = await site.startOperator('--leader-elect');
    await leader.until(/leader election: leading/);
    const other = await site.startOperator('--leader-elect');
    await site.apply(wish('telemetry'));
    await site.untilSettled('telemetry');
    await ended(leader, 'SIGKILL');
    expect(other.output()).not.toContain('leader election: leading');
    const before = (await site.platform.calls()).at(-1)?.number ?? 0;
    await site.apply(wish('telemetry', { image: newImage }));

    // Nobody touches anything before the lease of the dead one is over.
    await other.until(/leader election: leading/);
    await site.untilSettled('telemetry');
    expect((await site.platform.look()).services).toMatchObject([{ name: 'telemetry', image: { ref: newImage } }]);
    expect((await site.platform.changes(before)).map(({ endpoint }) => endpoint)).toEqual(['PUT /service']);
    expect(namesMade(await site.platform.calls())).toEqual(['telemetry']);
  });
});
