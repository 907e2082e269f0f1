/**
 * The owners of services on the platform, for the pods of their containers. The observer knows those of services that
 * this process reconciles. The owner mark of any other service is read from the platform, once for each deployment: it is
 * in the environment of the containers, so it changes only if they are deployed again.
 */
import type { ContainerRow, Ecsm, ServiceDetail } from '@ecsm/client';
import { isApiError, keyOf, type Registry } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { hash32 } from '../observe/fingerprint.ts';
import { isOurs, readMark } from '../resource/mark.ts';
import type { Mark } from '../resource/model.ts';
import { ownerKeysOf } from '../resource/naming.ts';
import { eachOf } from './concurrently.ts';

export interface OwnersOptions {
  readonly ecsm: Ecsm;
  readonly registry: Registry;
  /** Returns undefined if the registry has none yet. */
  readonly registryId: () => Promise<string | undefined>;
  /** What the observer knows. */
  readonly markOf: (serviceId: string) => Mark | undefined;
}

interface ReadMark {
  readonly deployments: number;
  readonly mark: Mark | undefined;
}

interface Deployed {
  readonly id: string;
  readonly name: string | undefined;
  /** Changes with every deployment of the service. */
  deployments: number;
}

export class Owners {
  readonly #options: OwnersOptions;
  #marks = new Map<string, ReadMark>();

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /** The marks of the services of these containers that belong to an ECSMService of this registry. */
  async of(rows: readonly ContainerRow[]): Promise<ReadonlyMap<string, Mark>> {
    const services = deployedIn(rows);
    const found = new Map<string, Mark>();
    const unknown: Deployed[] = [];
    for (const service of services.values()) {
      const mark = this.#options.markOf(service.id);
      const read = this.#marks.get(service.id);
      if (mark !== undefined) found.set(service.id, mark);
      else if (read === undefined || read.deployments !== service.deployments) unknown.push(service);
      else if (read.mark !== undefined) found.set(service.id, read.mark);
    }
    this.#marks = new Map([...this.#marks].filter(([id]) => services.has(id)));
    await this.#readMarks(await this.#possiblyOurs(unknown), found);
    return found;
  }

  /** Only those whose names an ECSMService may have given them: other services need not be read. */
  async #possiblyOurs(services: readonly Deployed[]): Promise<readonly Deployed[]> {
    if (services.length === 0) return [];
    const { keys } = await this.#options.registry.resource(ECSMService).versions();
    const known = new Set(keys);
    const isKnown = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
      known.has(keyOf(ECSMService, namespace, name));
    return services.filter(({ name }) => name !== undefined && ownerKeysOf(name).some(isKnown));
  }

  async #readMarks(services: readonly Deployed[], found: Map<string, Mark>): Promise<void> {
    if (services.length === 0) return;
    const registryId = await this.#options.registryId();
    if (registryId === undefined) return;
    await eachOf(services, async ({ id, deployments }) => {
      const detail = await this.#detail(id);
      if (detail === undefined) return;
      const mark = readMark(detail);
      const ours = mark && isOurs(mark, { ...mark, registryId }) ? mark : undefined;
      this.#marks.set(id, { deployments, mark: ours });
      if (ours) found.set(id, ours);
    });
  }

  /** Returns undefined if it was deleted since its containers were listed. That is not kept: it may be wrong. */
  async #detail(id: string): Promise<ServiceDetail | undefined> {
    try {
      return await this.#options.ecsm.services().get(id);
    } catch (error) {
      // A missing path is the answer of a proxy.
      const isMissing = isApiError(error, 'NotFound') && error.details.kind !== 'path';
      if (isMissing || isApiError(error, 'Rejected')) return undefined;
      throw error;
    }
  }
}

function deployedIn(rows: readonly ContainerRow[]): ReadonlyMap<string, Deployed> {
  const services = new Map<string, Deployed>();
  for (const { serviceId: id, serviceName, taskId, deployNum, createdTime } of rows) {
    const service = services.get(id) ?? { id, name: serviceName ?? undefined, deployments: 0 };
    // A sum, because the order of containers in a list is not known.
    service.deployments = (service.deployments + hash32(`${taskId} ${deployNum} ${createdTime}`)) >>> 0;
    services.set(id, service);
  }
  return services;
}
