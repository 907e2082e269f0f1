/**
 * Traffic of autoscaling, on a virtual clock and with the default intervals: calls and bytes of a fleet at rest, compared
 * with those of the same fleet before it had autoscalers.
 */
import { ECSMHpa } from '@ecsm/operator';
import { service } from '../fleet.ts';
import { deliver, type Measurement } from '../report.ts';
import { costAtRest, minuteMs, type Site, settledSite } from '../site.ts';

const services = 1_000;
const autoscaled = 100;

const site = await settledSite(services, {});
const without = await costAtRest(site);
for (let number = 0; number < autoscaled; number++) await autoscale(site, number * (services / autoscaled));
// The first syncs write the status, and the stabilization window starts.
await site.clock.advance(10 * minuteMs);
const both = await costAtRest(site);
await site.stop();

deliver([
  compared(`at rest, ${services} services, ${autoscaled} of them autoscaled`, 'calls/min', both.calls, without.calls),
  compared('the same, bytes in both directions', 'bytes/min', both.bytes, without.bytes),
]);

function compared(name: string, unit: string, value: number, without: number): Measurement {
  const bar = { text: 'at most 2 times those without', met: value <= 2 * without };
  return { name, value, unit, beside: { name: 'without autoscalers', value: without }, bar };
}

/** At its target, so that nothing changes. An idle instance uses all of its memory. */
async function autoscale({ registry }: Site, number: number): Promise<void> {
  const { name } = service(number).metadata;
  if (name === undefined) throw new Error('a service of the fleet has no name');
  await registry.resource(ECSMHpa).create({
    metadata: { name },
    spec: {
      scaleTargetRef: { kind: 'ECSMService', name },
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Mi' } } },
      ],
    },
  });
}
