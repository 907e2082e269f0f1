/**
 * A complete simulated platform: the state machine, its API, the control API, the link and the journal of calls. It is
 * called in-process or over HTTP, with the same behaviour.
 */
import { type Clock, type Log, type Random, silentLog } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { createApi } from '../api/api.ts';
import type { Handler, Request, Response } from '../api/exchange.ts';
import { createControl } from '../control/control.ts';
import { endpoints } from '../control/endpoints.ts';
import { Journal, type JournalEntry } from '../control/journal.ts';
import type { ControlSubject } from '../control/subject.ts';
import { isControl } from '../link/control-path.ts';
import { encodeResponse } from '../link/encoding.ts';
import { Link } from '../link/link.ts';
import type { LinkContext, ObservedCall } from '../link/simulated-call.ts';
import { type InProcessTransport, inProcessTransport } from '../link/transport.ts';
import type { Behaviour, ProfileName } from '../platform/behaviour.ts';
import type { Platform } from '../platform/contract.ts';
import { seededFleet } from '../platform/fleet.ts';
import type { State } from '../platform/model.ts';
import { createPlatform } from '../platform/platform.ts';
import type { ListenAddress } from './address.ts';
import { type RunningServer, serve } from './server.ts';

export interface SimulatorOptions {
  readonly clock: Clock;
  /** With a seed, the same calls at the same times give the same run. */
  readonly random: Random;
  /** A profile, or changes to `likely`; with a state: changes to its behaviour. */
  readonly behaviour?: Partial<Behaviour> | ProfileName;
  /** Number of nodes at the start, with a few images. Default 0: no nodes and no images. */
  readonly nodes?: number;
  /** The initial state; `nodes` is then ignored. */
  readonly state?: State;
  readonly log?: Log;
}

export class Simulator implements ControlSubject {
  readonly link: Link;
  readonly journal: Journal;
  /** The platform's API and the control API, without the link in front of them. */
  readonly handler: Handler;
  readonly #options: SimulatorOptions;
  readonly #log: Log;
  readonly #servers = new Set<RunningServer>();
  #platform: Platform;
  #api: Handler;
  #writes = 0;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
    // A separate random stream, so that the link does not affect the platform.
    this.link = new Link({ random: new SeededRandom(Math.floor(options.random.next() * Number.MAX_SAFE_INTEGER)) });
    this.journal = new Journal({ endpointOf: endpoints() });
    this.#platform = this.#initialPlatform();
    this.#api = createApi(this.#platform);
    const control = createControl(this);
    this.handler = (request) => {
      if (request.method !== 'GET') this.#writes++;
      return isControl(request.target) ? this.#logged(request, control) : this.#api(request);
    };
  }

  get platform(): Platform {
    return this.#platform;
  }

  /** Number of calls that may have changed the state. */
  get writes(): number {
    return this.#writes;
  }

  /** How a response of the platform is sent, by the switches `compression`, `entityTag` and `connection`. */
  encode(request: Request, response: Response): Response {
    return isControl(request.target) ? response : encodeResponse(request, response, this.#platform.behaviour);
  }

  /** A transport for calls in this process; see `inProcessTransport`. */
  transport(): InProcessTransport {
    return inProcessTransport(this.#context);
  }

  /** Throws `Forbidden` for an address that other machines can reach, `Unavailable` if the port is in use. */
  async listen(address: ListenAddress = {}): Promise<RunningServer> {
    const server = await serve({ ...this.#context, ...address });
    this.#servers.add(server);
    return {
      url: server.url,
      port: server.port,
      close: () => {
        this.#servers.delete(server);
        return server.close();
      },
    };
  }

  restore(state: State): void {
    this.#start(this.#createPlatform({ state }));
  }

  reset(): void {
    this.link.heal();
    this.journal.clear();
    this.#start(this.#initialPlatform());
  }

  /** Closes all servers. */
  async close(): Promise<void> {
    const servers = [...this.#servers];
    this.#servers.clear();
    await Promise.all(servers.map((server) => server.close()));
  }

  get #context(): LinkContext {
    return {
      handler: this.handler,
      link: this.link,
      clock: this.#options.clock,
      encode: (request, response) => this.encode(request, response),
      observe: (call) => this.#observe(call),
    };
  }

  #start(platform: Platform): void {
    this.#platform = platform;
    this.#api = createApi(platform);
  }

  #initialPlatform(): Platform {
    const { behaviour, nodes = 0, state } = this.#options;
    const platform = this.#createPlatform({ ...(behaviour && { behaviour }), ...(state && { state }) });
    if (!state && nodes > 0) seededFleet(platform, { nodes });
    return platform;
  }

  #createPlatform(start: Pick<SimulatorOptions, 'behaviour' | 'state'>): Platform {
    const { clock, random } = this.#options;
    return createPlatform({ clock, random, log: this.#log, ...start });
  }

  #observe(call: ObservedCall): void {
    if (isControl(call.request.target)) return;
    const entry = this.journal.record(call);
    this.#log.write('info', `${entry.method} ${entry.target}`, logFields(entry));
  }

  #logged(request: Request, control: Handler): ReturnType<Handler> {
    const response = control(request);
    const level = request.method === 'GET' ? 'debug' : 'info';
    this.#log.write(level, `${request.method} ${request.target}`, { status: response.status });
    return response;
  }
}

function logFields({ fate, status, code, bytesUp, bytesDown, durationMs }: JournalEntry): Record<string, unknown> {
  return {
    ...(status === null ? {} : { status }),
    ...(code === null || code === 200 ? {} : { code }),
    ...(fate === 'answered' ? {} : { fate }),
    bytesUp,
    bytesDown,
    durationMs,
  };
}
