/**
 * Bytes of the operator at rest, on a virtual clock: 1,000 services for ten minutes after they have settled, beside a model
 * of an operator that lists all services in pages of 25 every 30 s, on the same platform. Then the time until a change is
 * noticed: a service that is deleted, an instance that is stopped, and a service that is edited, at different moments.
 */
import { compressedTransport, Ecsm, Recorder, RestClient } from '@ecsm/client';
import type { Behaviour, Simulator } from '@ecsm/simulator';
import { deliver, type Measurement } from '../report.ts';
import { costAtRest, minuteMs, type Site, settledSite, totalBytes } from '../site.ts';

/** Lists all services in pages of 25, every 30 s. `isCompressed`: it accepts gzip, as Go's client does by default. */
async function peerBytes({ clock, simulator }: Site, isCompressed: boolean): Promise<number> {
  const recorder = new Recorder();
  const transport = simulator.transport();
  const rest = new RestClient({
    transport: isCompressed ? compressedTransport(transport, clock) : transport,
    clock,
    recorder,
  });
  const services = new Ecsm(rest).services();
  for (let round = 0; round < 2; round++) {
    for (let page = 1, total = 1; (page - 1) * 25 < total; page++) total = (await services.page(page, 25)).total;
  }
  return totalBytes(recorder);
}

type Change = (platform: Simulator['platform'], name: string) => void;

const changes: Readonly<Record<string, Change>> = {
  'a deleted service': (platform, name) => void platform.deleteService(platform.serviceNamed(name)?.id ?? ''),
  'a stopped instance': (platform, name) => void platform.controlService(platform.serviceNamed(name)?.id ?? '', 'stop'),
  'an edited service': (platform, name) => {
    const service = platform.serviceNamed(name);
    if (service === undefined) throw new Error(`there is no ${name}`);
    platform.updateService(service.id, { ...service, image: { ...service.image, config: { process: { env: [] } } } });
  },
};

/** The longest time from a change until the operator asks for the service. */
async function noticedMs({ clock, simulator }: Site, change: Change, first: number): Promise<number> {
  const longest = { ms: 0 };
  for (let round = 0; round < 8; round++) {
    // Long after the last change, and at any moment between two observations.
    await clock.advance(4 * minuteMs + round * 7_500);
    const before = simulator.journal.last;
    const startMs = clock.now();
    const name = `service-${first + round}`;
    const id = simulator.platform.serviceNamed(name)?.id ?? '';
    change(simulator.platform, name);
    const isNoticed = () =>
      simulator.journal
        .entries(before)
        .some(
          ({ target, request }) =>
            target.includes(id) || target.includes(`name=${name}`) || request.includes(`"${name}"`),
        );
    await clock.until(isNoticed, 10 * minuteMs);
    longest.ms = Math.max(longest.ms, clock.now() - startMs);
  }
  return longest.ms;
}

const platforms: readonly { name: string; behaviour: Partial<Behaviour>; part: number }[] = [
  { name: 'neither gzip nor ETags', behaviour: {}, part: 1 / 2 },
  { name: 'gzip', behaviour: { compression: 'gzip' }, part: 1 / 10 },
  { name: 'ETags', behaviour: { entityTag: 'weak' }, part: 1 / 10 },
  { name: 'gzip and ETags', behaviour: { compression: 'gzip', entityTag: 'weak' }, part: 1 / 10 },
];

const measurements: Measurement[] = [];

async function measure(count: number, { name, behaviour, part }: (typeof platforms)[number]): Promise<void> {
  const site = await settledSite(count, behaviour);
  const ours = (await costAtRest(site)).bytes;
  const peer = await peerBytes(site, false);
  const what = `at rest, ${count} services, ${name}`;
  measurements.push({
    name: what,
    value: ours,
    unit: 'bytes/min',
    beside: { name: 'lists of 25 every 30 s', value: peer },
    ...(count === 1000 ? { bar: { text: `at most 1/${1 / part}`, met: ours <= peer * part } } : {}),
  });
  if (behaviour.compression === 'gzip') {
    const compressed = { name: 'the same lists, compressed', value: await peerBytes(site, true) };
    measurements.push({ name: what, value: ours, unit: 'bytes/min', beside: compressed });
  }
  if (count === 1000) {
    for (const [index, [drift, change]] of Object.entries(changes).entries()) {
      const ms = await noticedMs(site, change, index * 100);
      const bar = { text: 'within 60 s', met: ms <= minuteMs };
      measurements.push({ name: `${drift} is noticed, ${name}`, value: ms / 1000, unit: 's', bar });
    }
  }
  await site.stop();
}

for (const count of [10, 100, 1000]) {
  for (const platform of platforms) if (count === 1000 || platform.part === 1 / 2) await measure(count, platform);
}
deliver(measurements);
