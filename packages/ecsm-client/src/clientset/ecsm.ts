/** The platform as typed resources: `ecsm.services().list()`. It holds no state of the platform, and no connection. */
import { ApiError } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { checkTime } from '../rest/options.ts';
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
  /** Rows that a list asks for in one request. Default 100. */
  readonly pageSize?: number;
  /** The most that a caller may ask for. Default 1000: no larger one is known to have worked. */
  readonly pageSizeMax?: number;
  /**
   * For a list with all its pages, from above 0. Default: none; a list ends after 10,000 pages at the latest. Shorter than
   * the slowest list takes, that list never succeeds.
   */
  readonly listDeadlineMs?: number;
  /** The zone of times that the platform writes without one, east positive. Default 0. */
  readonly zoneOffsetMinutes?: number;
  /** Ids are spread over several requests where one target would get longer. Default 2000, which any proxy lets pass. */
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

  /** `BadRequest` for an option that makes no sense. */
  constructor(rest: RestClient, options: EcsmOptions = {}) {
    const { pageSize = 100, pageSizeMax = 1000, zoneOffsetMinutes = 0, targetBytesMax = 2000 } = options;
    const { clock, deadlineMs: callDeadlineMs } = rest;
    const listDeadlineMs =
      options.listDeadlineMs === undefined
        ? Number.POSITIVE_INFINITY
        : checkTime('listDeadlineMs', options.listDeadlineMs);
    const limits = checkLimits({ pageSize, pageSizeMax, targetBytesMax, callDeadlineMs, listDeadlineMs, clock });
    if (!(Math.abs(zoneOffsetMinutes) < minutesPerDay)) {
      throw new ApiError('BadRequest', {
        reason: `zoneOffsetMinutes has to be less than a day, not ${zoneOffsetMinutes}`,
      });
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

  /** A moment that the platform wrote, in milliseconds since the epoch; undefined if it is none. */
  timeOf(text: string | null | undefined): number | undefined {
    return text == null ? undefined : parseTime(text, this.#zoneOffsetMinutes);
  }
}
