/**
 * A site to try the contract on: the real client, a real socket and a simulated platform behind it whose clock stands
 * still until a test moves it. What goes over the socket is kept as it went, and each test says what it should have
 * been.
 */
import { Ecsm, httpTransport, RestClient, type ServiceBody, type WrittenService } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { Simulator } from '../../src/http/simulator.ts';
import { type Behaviour, profiles } from '../../src/platform/behaviour.ts';
import type { Platform } from '../../src/platform/contract.ts';
import { departures, exactly, type Form, object } from './form.kit.ts';
import { checkRequest, type Exchange, type ExpectedRequest, recording } from './wire.kit.ts';
import { workerBody } from './worker.kit.ts';

/** Every guess one way, and every guess the other way. The client has to give the same with both. */
const profileNames = ['likely', 'contrary'] as const;
type Profile = (typeof profileNames)[number];

/** Longer than any deployment takes on a healthy site. */
export const deploymentMs = 10_000;

export interface ExpectedCall extends ExpectedRequest {
  /** The `data` of a success. */
  readonly data: Form;
}

interface ExpectedFailure extends ExpectedRequest {
  /** HTTP status where the platform lets it match. */
  readonly http: number;
  /** The business code. */
  readonly code: number;
}

export class Site {
  readonly behaviour: Behaviour;
  readonly ecsm: Ecsm;
  readonly clock: VirtualClock;
  readonly platform: Platform;
  readonly #exchanges: Exchange[];
  readonly #shown = new Set<string>();

  constructor(simulator: Simulator, clock: VirtualClock, ecsm: Ecsm, exchanges: Exchange[]) {
    this.platform = simulator.platform;
    this.behaviour = simulator.platform.behaviour;
    this.ecsm = ecsm;
    this.clock = clock;
    this.#exchanges = exchanges;
  }

  /**
   * What the client makes of an id that is not there. Of the platform's codes only that of a taken name is known, so a
   * business error with another code is refused without a better word.
   */
  get unknownCode(): 'NotFound' | 'Rejected' {
    return this.behaviour.unknownId === 'error' ? 'Rejected' : 'NotFound';
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Deploys a service and waits until it runs. Its requests are not recorded. */
  async deployed(change: Partial<ServiceBody> = {}): Promise<WrittenService> {
    const written = await this.ecsm.services().create({ ...workerBody, ...change });
    await this.pass(deploymentMs);
    this.forget();
    return written;
  }

  nodeId(name: string): string {
    return this.platform.nodeNamed(name)?.id ?? expect.unreachable(`there is no ${name}`);
  }

  forget(): void {
    this.#exchanges.length = 0;
  }

  /** The one call that was made since the last look succeeded, and went over the wire as documented. Gives its data. */
  saw(endpoint: string, expected: ExpectedCall): unknown {
    return this.sawInTurn([[endpoint, expected]])[0];
  }

  /** The same for several calls, which are all that were made. */
  sawInTurn(calls: readonly (readonly [endpoint: string, expected: ExpectedCall])[]): unknown[] {
    const exchanges = this.#exchanges.splice(0);
    const made = exchanges.map(({ method, target }) => `${method} ${target}`);
    expect(made, made.join('\n')).toHaveLength(calls.length);
    return exchanges.map((exchange, index) => {
      const [endpoint, expected] = calls[index] ?? expect.unreachable('there are as many');
      return this.#succeeded(exchange, endpoint, expected);
    });
  }

  #succeeded(exchange: Exchange, endpoint: string, expected: ExpectedCall): unknown {
    checkRequest(exchange, endpoint, expected);
    const { http, answer } = exchange;
    const envelope = object({
      status: exactly(200),
      message: exactly('success'),
      data: expected.data,
      fieldErrors: 'null',
    });
    expect(departures(envelope, answer, 'body'), endpoint).toEqual([]);
    expect(http, endpoint).toBe(200);
    this.#shown.add(endpoint);
    return shape.isObject(answer) ? answer['data'] : undefined;
  }

  /**
   * The same for a business error. Its form is a guess, and so is its code, but for the one of a name that is taken.
   */
  sawFailure(endpoint: string, expected: ExpectedFailure): void {
    const [exchange, ...more] = this.#exchanges.splice(0);
    if (exchange === undefined || more.length > 0) expect.unreachable(`${endpoint} was not the only call`);
    checkRequest(exchange, endpoint, expected);
    const { http, answer } = exchange;
    const { failureData, failureFieldErrors, httpStatus } = this.behaviour;
    const fieldErrors = { null: 'null', text: 'text', object: 'object' } as const;
    const envelope = object({
      status: exactly(expected.code),
      message: 'text',
      data: failureData === 'null' ? 'null' : 'text',
      fieldErrors: fieldErrors[failureFieldErrors],
    });
    expect(departures(envelope, answer, 'body'), endpoint).toEqual([]);
    expect(http, endpoint).toBe(httpStatus === 'matching' ? expected.http : 200);
  }

  /** An id that is not there: a business error, or a success that says nothing but "success". */
  sawUnknown(endpoint: string, expected: ExpectedFailure): void {
    if (this.behaviour.unknownId === 'error') this.sawFailure(endpoint, expected);
    else this.saw(endpoint, { ...expected, data: exactly('success') });
  }

  /** A test that is named after an endpoint has to have looked at it. */
  mustHaveShown(endpoint: string): void {
    expect([...this.#shown], 'the endpoints that this test looked at').toContain(endpoint);
  }
}

/** Runs the tests on a site of each profile. A test is named `METHOD /path: what`, and has to look at that endpoint. */
export function onEveryPlatform(noun: string, tests: (site: () => Site) => void): void {
  describe.each(profileNames)(`${noun} of a platform where the guesses are %s`, (profile) => {
    let open: { readonly site: Site; readonly close: () => Promise<void> } | undefined;
    beforeEach(async () => {
      open = await openSite(profile);
    });
    afterEach(async ({ task }) => {
      await open?.close();
      if (task.result?.state === 'fail') return;
      open?.site.mustHaveShown(task.name.slice(0, task.name.indexOf(': ')));
    });
    tests(() => open?.site ?? expect.unreachable('there is no site'));
  });
}

/** Three SylixOS nodes, `node-1` to `node-3`, and one with Linux, `node-4`. */
async function openSite(profile: Profile) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const simulator = new Simulator({ clock, random: new SeededRandom(1), behaviour: profiles[profile], nodes: 4 });
  const server = await simulator.listen({ port: 0 });
  const link = httpTransport({ url: server.url });
  const exchanges: Exchange[] = [];
  const ecsm = new Ecsm(new RestClient({ transport: recording(link, exchanges) }));
  const close = async () => {
    link.close();
    await simulator.close();
  };
  return { site: new Site(simulator, clock, ecsm, exchanges), close };
}
