/**
 * Reads complete services from the platform, and changes them with one call each. It makes no decisions.
 */
import type {
  CallOptions,
  ContainerRow,
  Ecsm,
  ServiceBody,
  ServiceDetail,
  ServiceRow,
  WrittenService,
} from '@ecsm/client';
import { collect } from '@ecsm/client';
import { isApiError } from '@ecsm/runtime';
import type { PlatformService } from './model.ts';
import { isNameOf } from './naming.ts';
import { readService } from './read.ts';

export class ServiceManager {
  readonly #ecsm: Ecsm;
  /** Whether the basic list of nodes contains their status. Not every platform returns it: the full list has it. */
  #isBasicEnough = true;

  constructor(ecsm: Ecsm) {
    this.#ecsm = ecsm;
  }

  /**
   * Every service named `base`, or `base` with a revision, read now: one list, then details and containers concurrently. A
   * service that is deleted in the meantime is left out. `known` are ids that a stale list may lack: they are read by id.
   */
  async find(
    base: string,
    { known = [], ...options }: CallOptions & { readonly known?: Iterable<string> } = {},
  ): Promise<PlatformService[]> {
    const listed = (await this.#named(base, options)).map(({ id }) => id);
    const unlisted = [...known].filter((id) => !listed.includes(id));
    const hidden = present(await Promise.all(unlisted.map((id) => this.#detail(base, id, options))));
    const ids = [...listed, ...hidden.map(({ id }) => id)];
    if (ids.length === 0) return [];
    const [details, containers] = await Promise.all([
      Promise.all(listed.map((id) => this.#detail(base, id, options))),
      collect(this.#ecsm.containers().ofServices(ids, options)),
    ]);
    return [...present(details), ...hidden]
      .filter(({ name }) => isNameOf(base, name))
      .map((detail) => this.read(detail, containers));
  }

  /** The same from responses that were read elsewhere. */
  read(detail: ServiceDetail, containers: readonly ContainerRow[]): PlatformService {
    return readService(detail, containers, (text) => this.#ecsm.timeOf(text));
  }

  create(body: ServiceBody, options: CallOptions = {}): Promise<WrittenService> {
    return this.#ecsm.services().create(body, options);
  }

  /** The platform may change the id. */
  update(id: string, body: ServiceBody, options: CallOptions = {}): Promise<WrittenService> {
    return this.#ecsm.services().update({ ...body, id }, options);
  }

  /**
   * Only starts the deletion, which is done when no list contains the service. No error if it does not exist; the name, if
   * given, makes that check cheaper.
   */
  async delete(id: string, options: CallOptions & { readonly name?: string } = {}): Promise<void> {
    try {
      await this.#ecsm.services().delete(id, options);
    } catch (error) {
      if (!(await this.#isGone(error, id, options))) throw error;
    }
  }

  /** All instances of a service. */
  async start(id: string, options: CallOptions = {}): Promise<void> {
    await this.#ecsm.services().controlContainers(id, 'start', options);
  }

  async unpause(id: string, options: CallOptions = {}): Promise<void> {
    await this.#ecsm.services().controlContainers(id, 'unpause', options);
  }

  /** One instance, by its name. */
  async startInstance(name: string, options: CallOptions = {}): Promise<void> {
    await this.#ecsm.containers().control(name, 'start', options);
  }

  async unpauseInstance(name: string, options: CallOptions = {}): Promise<void> {
    await this.#ecsm.containers().control(name, 'unpause', options);
  }

  redeploy(id: string, options: CallOptions = {}): Promise<void> {
    return this.#ecsm.services().redeploy(id, options);
  }

  /** Names of the nodes that the platform cannot reach. */
  async offlineNodes(options: CallOptions = {}): Promise<ReadonlySet<string>> {
    const nodes = this.#ecsm.nodes();
    if (this.#isBasicEnough) {
      const rows = await collect(nodes.listBasic({}, options));
      this.#isBasicEnough = rows.every(({ status }) => typeof status === 'string');
      if (this.#isBasicEnough) return offline(rows);
    }
    return offline(await collect(nodes.list({}, options)));
  }

  async #named(base: string, options: CallOptions): Promise<ServiceRow[]> {
    // The platform matches names by substring.
    const rows = await collect(this.#ecsm.services().list({ name: base }, options));
    return rows.filter(({ name }) => isNameOf(base, name));
  }

  async #detail(base: string, id: string, options: CallOptions): Promise<ServiceDetail | undefined> {
    try {
      return await this.#ecsm.services().get(id, options);
    } catch (error) {
      if (await this.#isGone(error, id, { ...options, name: base })) return undefined;
      throw error;
    }
  }

  /**
   * The error code for a missing service is not documented, so a rejected call is checked with a list. So is a 404 without
   * an envelope: a proxy that does not know the path responds with it too.
   */
  async #isGone(error: unknown, id: string, options: CallOptions & { readonly name?: string }): Promise<boolean> {
    const isMissing = isApiError(error, 'NotFound');
    if (isMissing && error.details.kind !== 'path') return true;
    if (!isMissing && !isApiError(error, 'Rejected')) return false;
    const { name } = options;
    const rows = this.#ecsm.services().list(name === undefined ? {} : { name }, options);
    for await (const row of rows) if (row.id === id) return false;
    return true;
  }
}

function offline(rows: readonly { readonly name: string; readonly status?: string | null }[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ name, status }) => (status === 'offline' ? [name] : [])));
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}
