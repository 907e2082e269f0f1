/** Typed resources of the platform: `ecsm.services().list()`. It holds no platform state and no connection. */
import type { RestClient } from '../rest/client.ts';
import { badRequest, checkTime } from '../rest/options.ts';
import { Configuration } from './configuration.ts';
import { Containers } from './containers.ts';
import { Images } from './images.ts';
import { checkLimits } from './limits.ts';
import { MicroServices } from './micro-services.ts';
import { Nodes } from './nodes.ts';
import { Overview } from './overview.ts';
import { Records } from './records.ts';
import { Services } from './services.ts';
import { Templates } from './templates.ts';
import { parseTime } from './times.ts';

export interface EcsmOptions {
  /** Rows per request of a list. Default 100. */
  readonly pageSize?: number;
  /** Maximum `pageSize` of a caller. Default 1000: no larger one is known to work. */
  readonly pageSizeMax?: number;
  /**
   * Deadline of a list with all its pages, above 0. Default: none, except for the limit of 10,000 pages. A list that
   * takes longer never succeeds.
   */
  readonly listDeadlineMs?: number;
  /** Time zone of timestamps without one, east positive. Default 0. */
  readonly zoneOffsetMinutes?: number;
  /** Ids are split into several requests if the target would be longer. Default 2000, which any proxy accepts. */
  readonly targetBytesMax?: number;
}

const minutesPerDay = 24 * 60;

export class Ecsm {
  readonly #zoneOffsetMinutes: number;
  readonly #services: Services;
  readonly #containers: Containers;
  readonly #nodes: Nodes;
  readonly #images: Images;
  readonly #records: Records;
  readonly #templates: Templates;
  readonly #configuration: Configuration;
  readonly #microServices: MicroServices;
  readonly #overview: Overview;

  /** Throws `BadRequest` for an invalid option. */
  constructor(rest: RestClient, options: EcsmOptions = {}) {
    const { pageSize = 100, pageSizeMax = 1000, zoneOffsetMinutes = 0, targetBytesMax = 2000 } = options;
    const { clock, deadlineMs: callDeadlineMs } = rest;
    const listDeadlineMs =
      options.listDeadlineMs === undefined
        ? Number.POSITIVE_INFINITY
        : checkTime('listDeadlineMs', options.listDeadlineMs);
    const limits = checkLimits({ pageSize, pageSizeMax, targetBytesMax, callDeadlineMs, listDeadlineMs, clock });
    if (!(Math.abs(zoneOffsetMinutes) < minutesPerDay)) {
      throw badRequest(`zoneOffsetMinutes has to be less than a day, not ${zoneOffsetMinutes}`);
    }
    this.#zoneOffsetMinutes = zoneOffsetMinutes;
    this.#services = new Services(rest, limits);
    this.#containers = new Containers(rest, limits);
    this.#nodes = new Nodes(rest, limits);
    this.#images = new Images(rest, limits);
    this.#records = new Records(rest, limits);
    this.#templates = new Templates(rest);
    this.#configuration = new Configuration(rest, limits);
    this.#microServices = new MicroServices(rest, limits);
    this.#overview = new Overview(rest);
  }

  services(): Services {
    return this.#services;
  }

  containers(): Containers {
    return this.#containers;
  }

  nodes(): Nodes {
    return this.#nodes;
  }

  images(): Images {
    return this.#images;
  }

  /** Deployment records of services. */
  records(): Records {
    return this.#records;
  }

  templates(): Templates {
    return this.#templates;
  }

  configuration(): Configuration {
    return this.#configuration;
  }

  microServices(): MicroServices {
    return this.#microServices;
  }

  overview(): Overview {
    return this.#overview;
  }

  /** Parses a timestamp of the platform to milliseconds since the epoch. Returns undefined if it is not valid. */
  timeOf(text: string | null | undefined): number | undefined {
    return text == null ? undefined : parseTime(text, this.#zoneOffsetMinutes);
  }
}
