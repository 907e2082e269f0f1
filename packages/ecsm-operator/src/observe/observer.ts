/**
 * What a reconcile sees of the platform. A first look may trust what the observer has listed, and reads only the services
 * themselves; before something is changed everything is read anew. A fleet that comes up is not even read: what was made
 * a moment ago and shows no other version is what was asked for. It is audited later.
 */
import {
  type ContainerRow,
  collect,
  type Ecsm,
  type ServiceBody,
  type ServiceDetail,
  type ServiceRow,
} from '@ecsm/client';
import { isApiError } from '@ecsm/runtime';
import type { ServiceManager } from '../resource/manager.ts';
import type { PlatformService } from '../resource/model.ts';
import type { KnownIds } from './known-ids.ts';
import type { OfflineNodes } from './node-cache.ts';
import type { Memory } from './owner-records.ts';
import { fromPlatform } from './platform-error.ts';
import type { Observer } from './poller.ts';
import type { Picture } from './prefetch.ts';

export interface View {
  readonly services: readonly PlatformService[];
  readonly offlineNodes: ReadonlySet<string>;
  /**
   * - `fresh`: all of it was read for this purpose.
   * - `cheap`: which services there are comes from the last look; they themselves were read.
   * - `trusted`: nothing was read. They were just made, and are believed to be as they were asked for.
   */
  readonly certainty: 'fresh' | 'cheap' | 'trusted';
}

export interface Sources {
  readonly ecsm: Ecsm;
  readonly manager: Pick<ServiceManager, 'find' | 'read'>;
  readonly observer: Pick<Observer, 'idsOf' | 'takePictures'>;
  readonly memory: Pick<Memory, 'takeMade'>;
  readonly known: KnownIds;
  readonly nodes: OfflineNodes;
  readonly observeMs: number;
}

/** Nodes are many services' business at once, so a list of them that is this young counts as fresh. */
const freshNodesMs = 1_000;

export async function freshView(sources: Sources, base: string, signal: AbortSignal): Promise<View> {
  return fromPlatform(async () => {
    const [services, offlineNodes] = await Promise.all([
      sources.manager.find(base, { signal, known: sources.known.of(base) }),
      sources.nodes.read(freshNodesMs, signal),
    ]);
    sources.known.replace(base, new Set(services.map(({ id }) => id)));
    return { services, offlineNodes, certainty: 'fresh' };
  });
}

/** Cheaper: at most as old as the last look where services have come or gone, and fresh where they have changed. */
export async function cheapView(sources: Sources, base: string, signal: AbortSignal): Promise<View> {
  const ids = sources.observer.idsOf(base);
  if (ids === undefined) return freshView(sources, base, signal);
  const pictures = sources.observer.takePictures(ids);
  const made = ids.map((id) => sources.memory.takeMade(id));
  return fromPlatform(async () => {
    const offlineNodes = await sources.nodes.read(sources.observeMs * 2, signal);
    if (ids.length === 0) return { services: [], offlineNodes, certainty: 'cheap' };
    const believed = pictures && believedDetails(pictures, made);
    if (believed) {
      const services = pictures.map(({ containers }, index) => [believed[index], containers] as const);
      const read = services.flatMap(([detail, containers]) =>
        detail ? [sources.manager.read(detail, containers)] : [],
      );
      return { services: read, offlineNodes, certainty: 'trusted' };
    }
    const containers = pictures?.flatMap((picture) => picture.containers);
    const services = await readAll(sources, ids, containers, signal);
    if (services !== undefined) sources.known.add(base, ids);
    return services === undefined ? freshView(sources, base, signal) : { services, offlineNodes, certainty: 'cheap' };
  });
}

/** What these services look like, if nothing can have changed since they were made. */
function believedDetails(
  pictures: readonly Picture[],
  made: readonly (ServiceBody | undefined)[],
): readonly ServiceDetail[] | undefined {
  const details = pictures.map(({ row }, index) => believedDetail(row, made[index]));
  return details.every((detail) => detail !== undefined) ? details : undefined;
}

function believedDetail(row: ServiceRow, body: ServiceBody | undefined): ServiceDetail | undefined {
  const { name, imageList, createdTime, updatedTime, nodeList } = row;
  const image = imageList?.[0];
  const isUntouched = createdTime === updatedTime && name === body?.name;
  if (!isUntouched || `${image?.name}@${image?.tag}#${image?.os}` !== body?.image.ref) return undefined;
  return { ...row, image: body.image, node: { names: nodeList?.map(({ nodeName }) => nodeName ?? null) ?? null } };
}

/** Nothing if one of them is not there any more. */
async function readAll(
  { ecsm, manager }: Sources,
  ids: readonly string[],
  known: readonly ContainerRow[] | undefined,
  signal: AbortSignal,
): Promise<readonly PlatformService[] | undefined> {
  try {
    const [details, containers] = await Promise.all([
      Promise.all(ids.map((id) => ecsm.services().get(id, { signal }))),
      known ?? collect(ecsm.containers().ofServices(ids, { signal })),
    ]);
    return details.map((detail) => manager.read(detail, containers));
  } catch (error) {
    if (isApiError(error, 'NotFound') || isApiError(error, 'Rejected')) return undefined;
    throw error;
  }
}
