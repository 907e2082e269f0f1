/**
 * Bytes of the operator at rest, on a virtual clock: 1,000 services for ten minutes after they have settled, beside a model
 * of an operator that lists all services in pages of 25 every 30 s, on the same platform. Then the time until a change is
 * noticed: a service that is deleted, an instance that is stopped, and a service that is edited, at different moments, and
 * an edit of each field.
 *
 * On a platform without compression and ETags, what an edit changes shows only in the row of the service, and there is no
 * list of less than whole rows: one list of all services in the interval is the least that shows every edit.
 */
import { compressedTransport, Ecsm, Recorder, RestClient } from '@ecsm/client';
import type { Behaviour, Simulator } from '@ecsm/simulator';
import { deliver, type Measurement } from '../report.ts';
import { costAtRest, minuteMs, type Site, settledSite, totalBytes } from '../site.ts';

/** Lists all services in pages of 25, every 30 s. `isCompressed`: it accepts gzip, as Go's client does by default. */
function peerBytes(site: Site, isCompressed: boolean): Promise<number> {
  return listBytes(site, isCompressed, 2, 25);
}

/** Bytes of that number of lists of all services. */
async function listBytes({ clock, simulator }: Site, isCompressed: boolean, lists: number, size: number) {
  const recorder = new Recorder();
  const transport = simulator.transport();
  const rest = new RestClient({
    transport: isCompressed ? compressedTransport(transport, clock) : transport,
    clock,
    recorder,
  });
  const services = new Ecsm(rest).services();
  for (let round = 0; round < lists; round++) {
    for (let page = 1, total = 1; (page - 1) * size < total; page++) total = (await services.page(page, size)).total;
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

type Edited = NonNullable<ReturnType<Simulator['platform']['serviceNamed']>>;

const withImage = (image: Partial<Edited['image']>) => (service: Edited) => ({ image: { ...service.image, ...image } });
const withConfig = (config: Edited['image']['config']) => withImage({ config });
const withProcess = (process: Record<string, string | string[]>) => withConfig({ process });

/** An edit of each field by hand, as in the page of the platform. */
const edits: Readonly<Record<string, (service: Edited) => Partial<Edited>>> = {
  name: ({ name }) => ({ name: `${name}-renamed` }),
  'image.ref': withImage({ ref: 'telemetry@1.1.0#sylixos' }),
  'image.action': withImage({ action: 'load' }),
  'image.pullPolicy': withImage({ pullPolicy: 'Always' }),
  'image.autoUpgrade': withImage({ autoUpgrade: 'Always' }),
  'image.vsoa': withImage({ vsoa: { port: 1_234 } }),
  'image.vsoa.password': withImage({ vsoa: { password: 'other' } }),
  'process.args': withProcess({ args: ['/apps/other'] }),
  'process.env, a value': withProcess({ args: ['/apps/telemetry'], env: ['RATE=11'] }),
  'process.env, one more': withProcess({ args: ['/apps/telemetry'], env: ['RATE=10', 'MORE=1'] }),
  'process.env, none': withProcess({ args: ['/apps/telemetry'] }),
  'process.cwd': withProcess({ args: ['/apps/telemetry'], env: ['RATE=10'], cwd: '/tmp' }),
  hostname: withConfig({ hostname: 'other' }),
  mounts: withConfig({ mounts: [{ source: '/a', destination: '/b' }] }),
  'resources.memory': withConfig({ sylixos: { resources: { memory: { memoryLimitMB: 2 } } } }),
  'resources.disk': withConfig({ sylixos: { resources: { disk: { limitMB: 2 } } } }),
  'sylixos.network': withConfig({ sylixos: { network: { ftpdEnable: true } } }),
  'node.names': () => ({ nodeNames: ['node-1'] }),
  factor: () => ({ factor: 2 }),
  policy: () => ({ policy: 'static' }),
};

function editOf(edit: (service: Edited) => Partial<Edited>): Change {
  return (platform, name) => {
    const service = platform.serviceNamed(name);
    if (service === undefined) throw new Error(`there is no ${name}`);
    platform.updateService(service.id, { ...service, ...edit(service) });
  };
}

/** The longest time from a change until the operator asks for the service. */
async function noticedMs({ clock, simulator }: Site, change: Change, first: number, rounds = 8): Promise<number> {
  const longest = { ms: 0 };
  for (let round = 0; round < rounds; round++) {
    // Long after the last change, and at any moment between two observations.
    await clock.advance(4 * minuteMs + ((first + round) % 8) * 7_500);
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
  if (count === 1000 && part === 1 / 2) {
    const least = { name: 'one list of all services a minute', value: await listBytes(site, false, 1, 1_000) };
    const bar = { text: 'within 1.02 times', met: ours <= least.value * 1.02 };
    measurements.push({ name: what, value: ours, unit: 'bytes/min', beside: least, bar });
    let noticed = 0;
    for (const [index, edit] of Object.values(edits).entries()) {
      if ((await noticedMs(site, editOf(edit), 900 + index, 1)) <= minuteMs) noticed++;
    }
    const all = Object.keys(edits).length;
    const found = { text: `all ${all}`, met: noticed === all };
    measurements.push({ name: 'edits of a field noticed within 60 s', value: noticed, unit: 'fields', bar: found });
  }
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
