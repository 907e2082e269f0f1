/** Oracles that hold at every step. */
import type { Simulation } from '@ecsm/runtime/simulation';
import type { ECSMService } from '../../src/apis/ecsm-service.ts';
import { replicasWanted } from '../../src/apis/service-columns.ts';
import { hpaReasons } from '../../src/service/autoscaling/reasons.ts';
import { reasons } from '../../src/service/reasons.ts';
import { hasLateWrite } from './late.kit.ts';
import type { Story } from './stories.kit.ts';
import { inFlightMax, type Owned, ownedServices, stored, type World } from './world.kit.ts';

/** The state of one object, from all its versions. */
interface Known {
  readonly name: string;
  /** The maximum desired number of instances so far, and the allowed surplus. */
  wantedMax: number;
  surge: number;
  /** Whether the operator has reported all instances as ready. Before that it cannot keep them so. */
  isSaidReady: boolean;
  /** Minimum number of ready instances; undefined until they were ready once. */
  readyMin?: number;
  goneMs?: number;
  /** Maximum size of each revision since the operator observed the pause. */
  paused?: { readonly generation: number; readonly sizes: ReadonlyMap<string, number> };
}

interface BoundsOptions {
  readonly story: Story;
  /** Whether the operator guarantees the number of ready instances. */
  readonly isReadyPromised: boolean;
}

export function watchBounds(simulation: Simulation, world: World, { story, isReadyPromised }: BoundsOptions): void {
  const known = new Map<string, Known>();
  const foreignBefore = new Map<string, string>();
  let seenRevision = -1;

  /** Runs the oracle only when the platform or the store has changed. */
  const checkAll = (name: string, oracle: (owned: readonly Owned[]) => string | undefined) => {
    let before: { readonly owned: readonly Owned[]; readonly revision: number } | undefined;
    simulation.always(name, () => {
      const [owned, revision] = [ownedServices(world), simulation.store.newest];
      if (before?.owned === owned && before.revision === revision) return undefined;
      before = { owned, revision };
      return oracle(owned);
    });
  };

  const check = (name: string, oracle: (owned: readonly Owned[]) => string | undefined) =>
    checkAll(name, (owned) => {
      const problem = oracle(owned);
      return problem !== undefined && hasLateWrite(simulation) ? undefined : problem;
    });

  simulation.always('every reason is in the table', () => {
    if (seenRevision === simulation.store.newest) return undefined;
    seenRevision = simulation.store.newest;
    const objects = stored(simulation);
    learn(objects, known, world, simulation.nowMs);
    return objects.map(unknownReason).find((problem) => problem !== undefined) ?? unknownEvent(simulation);
  });

  check('no surplus instances', (owned) => {
    const counts = new Map<string, number>();
    for (const { mark, service, containers } of owned) {
      // Instances that are being stopped do not count.
      const staying = containers.filter(({ leaving }) => !leaving).length;
      if (service.deletingMs === null) counts.set(mark.uid, (counts.get(mark.uid) ?? 0) + staying);
    }
    for (const [uid, count] of counts) {
      const one = known.get(uid);
      if (!one) return `a service of ${uid} exists, and no object of that uid ever did`;
      if (count > one.wantedMax + one.surge) {
        return `${one.name} has ${count} instances; ${one.wantedMax} and ${one.surge} more are allowed`;
      }
    }
    return undefined;
  });

  // Names are deterministic, so not even a late request creates a second service. Beside a leftover of a former owner,
  // though, a service gets the name with its revision instead of the base name.
  const checkTwice = story.hasLeftovers ? check : checkAll;
  checkTwice('no revision has two services', (owned) => {
    const seen = new Map<string, string>();
    for (const { mark, service } of owned) {
      if (service.deletingMs !== null) continue;
      const revision = `${mark.uid}/${mark.revision}`;
      const other = seen.get(revision);
      if (other !== undefined) return `${other} and ${service.name} are both of revision ${mark.revision}`;
      seen.set(revision, service.name);
    }
    return undefined;
  });

  if (!story.hasLeftovers)
    check('a deleted object leaves no service', (owned) => {
      for (const { mark, service } of owned) {
        const goneMs = known.get(mark.uid)?.goneMs;
        if (goneMs !== undefined) return `${service.name} was left when its object was deleted at ${goneMs} ms`;
      }
      return undefined;
    });

  check('a paused service stays unchanged', (owned) => {
    for (const [uid, { name, paused }] of known) {
      if (paused === undefined) continue;
      for (const [revision, size] of sizesOf(owned, uid)) {
        const sizeMax = paused.sizes.get(revision) ?? 0;
        if (size > sizeMax) return `${name} is paused, and revision ${revision} grew from ${sizeMax} to ${size}`;
      }
    }
    return undefined;
  });

  if (story.watched && isReadyPromised) {
    check('never too few ready during a rolling update', (owned) => {
      for (const [uid, one] of known) {
        if (!story.watched?.includes(one.name) || one.goneMs !== undefined) continue;
        const ready = readyOf(world, owned, uid);
        if (one.readyMin === undefined) {
          if (ready >= one.wantedMax && one.isSaidReady) one.readyMin = one.wantedMax - 1;
        } else if (ready < one.readyMin) return `${one.name} has ${ready} ready, not ${one.readyMin}`;
      }
      return undefined;
    });
  }

  if (story.foreign) {
    checkAll('foreign services are not changed', () => {
      for (const name of story.foreign ?? []) {
        const service = world.simulator.platform.serviceNamed(name);
        const { id, updatedMs, image, nodeNames } = service ?? {};
        const now = service ? JSON.stringify([id, updatedMs, image, nodeNames]) : 'gone';
        const before = foreignBefore.get(name);
        if (before === undefined) {
          if (service) foreignBefore.set(name, now);
        } else if (now !== before) return `${name} was ${before} and is ${now}`;
      }
      return undefined;
    });
  }

  simulation.always('a link that answers is not unreachable', () => world.link.denied);

  simulation.always('concurrent calls are limited', () =>
    world.inFlight <= inFlightMax ? undefined : `${world.inFlight} calls were in flight`,
  );
}

function learn(objects: readonly ECSMService[], known: Map<string, Known>, world: World, nowMs: number): void {
  for (const object of objects) {
    const { uid, name } = object.metadata;
    const wanted = replicasWanted(object);
    const surge = object.spec.updateStrategy.rollingUpdate?.maxSurge ?? 0;
    const one = known.get(uid) ?? { name, wantedMax: wanted, surge, isSaidReady: false };
    one.wantedMax = Math.max(one.wantedMax, wanted);
    one.surge = Math.max(one.surge, surge);
    one.isSaidReady ||= (object.status?.readyReplicas ?? 0) >= one.wantedMax;
    known.set(uid, one);
    learnPause(one, object, world);
  }
  const alive = new Set(objects.map(({ metadata }) => metadata.uid));
  for (const [uid, one] of known) if (!alive.has(uid)) one.goneMs ??= nowMs;
}

/** The status is written before the steps: from that version on no revision may grow. */
function learnPause(one: Known, object: ECSMService, world: World): void {
  const { metadata, spec, status } = object;
  const { uid, generation } = metadata;
  if (one.paused?.generation === generation) return;
  delete one.paused;
  if (!spec.paused || status?.observedGeneration !== generation) return;
  const sizes = sizesOf(ownedServices(world), uid);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // With fewer instances than desired a revision may still grow: a pause does not stop scaling.
  if (total >= replicasWanted(object)) one.paused = { generation, sizes };
}

function sizesOf(owned: readonly Owned[], uid: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { mark, service } of owned) {
    // A service that is being deleted when the operator observes the pause may be replaced.
    if (mark.uid !== uid || service.deletingMs !== null) continue;
    const size = service.policy === 'static' ? service.nodeNames.length : service.factor;
    sizes.set(mark.revision, (sizes.get(mark.revision) ?? 0) + size);
  }
  return sizes;
}

function readyOf({ simulator: { platform } }: World, owned: readonly Owned[], uid: string): number {
  let ready = 0;
  for (const { mark, containers } of owned) {
    if (mark.uid !== uid) continue;
    ready += containers.filter((container) => !container.leaving && platform.statusOf(container) === 'running').length;
  }
  return ready;
}

function unknownReason({ metadata, status }: ECSMService): string | undefined {
  for (const { type, reason } of status?.conditions ?? []) {
    if (!isListed(reason, type)) return `${metadata.name}: ${type} has the reason ${reason}`;
  }
  return undefined;
}

function unknownEvent({ store }: Simulation): string | undefined {
  for (const [key, value] of store.jsonBelow('core/v1/events/')) {
    const { reason } = value as { readonly reason: string };
    if (!isListed(reason, 'event')) return `${key} has the reason ${reason}`;
  }
  return undefined;
}

const listedReasons = [...Object.entries(reasons), ...Object.entries(hpaReasons)];

function isListed(reason: string, place: string): boolean {
  const places: readonly string[] = listedReasons.flatMap(([name, one]) => (name === reason ? one.in : []));
  return places.includes(place);
}
