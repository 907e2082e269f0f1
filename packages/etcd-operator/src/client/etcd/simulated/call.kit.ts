/** A call to a simulated server: with the delays and losses of a network, a deadline, and an end when either side ends. */
import type { EtcdCallOptions, EtcdEndpoint } from '../contract.ts';
import { EtcdError } from '../error.ts';
import type { EtcdProcess } from './process.kit.ts';
import { refuse } from './state.kit.ts';
import type { SimulatedEtcd } from './world.kit.ts';

export type CallFault = 'none' | 'request lost' | 'answer lost';

/** Answers once, or never. */
export type Answer<T> = (result: T | EtcdError) => void;

interface Call<T> {
  readonly method: string;
  readonly endpoint: EtcdEndpoint;
  readonly options: EtcdCallOptions | undefined;
  /** Whether a member refuses the call while it knows of no leader. */
  readonly isLed: boolean;
  readonly isForLearners?: boolean;
  serve(process: EtcdProcess, answer: Answer<T>): void;
}

const timeoutMsDefault = 5_000;

/** The calls of one client. */
export class Calls {
  readonly #world: SimulatedEtcd;
  /** What ends each call in flight. */
  readonly #calls = new Set<() => void>();
  #isClosed = false;

  constructor(world: SimulatedEtcd) {
    this.#world = world;
  }

  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#calls]) end();
  }

  call<T>(call: Call<T>): Promise<T> {
    const { endpoint, options: { signal, timeoutMs = timeoutMsDefault } = {} } = call;
    const { clock, times } = this.#world;
    const what = `etcd at ${endpoint.host} (${endpoint.address}:${endpoint.port})`;
    const fault = this.#world.faultOf(call.method, endpoint.address);
    return new Promise((resolve, reject) => {
      const cleanups: (() => void)[] = [];
      const settle = (end: () => void) => {
        for (const cleanup of cleanups.splice(0)) cleanup();
        end();
      };
      const fail = (error: EtcdError) => settle(() => reject(error));
      const unavailable = (problem: string) => fail(new EtcdError('Unavailable', `${what}: ${problem}`));
      if (this.#isClosed) return unavailable('the client was closed');
      if (signal?.aborted) return unavailable('the call was aborted');
      const onClose = () => unavailable('the client was closed');
      const onAbort = () => unavailable('the call was aborted');
      this.#calls.add(onClose);
      signal?.addEventListener('abort', onAbort, { once: true });
      cleanups.push(
        () => this.#calls.delete(onClose),
        () => signal?.removeEventListener('abort', onAbort),
      );
      cleanups.push(
        clock.after(timeoutMs, () => fail(new EtcdError('Timeout', `${what}: no answer within ${timeoutMs} ms`))),
      );
      // At once without latency: a simulation of many calls needs no timers for it.
      const later = (then: () => void) => {
        if (times.latencyMs === 0) then();
        else cleanups.push(clock.after(times.latencyMs, then));
      };
      let isAnswered = false;
      const answer: Answer<T> = (result) => {
        if (isAnswered || fault === 'answer lost') return;
        isAnswered = true;
        later(() => settle(() => (result instanceof EtcdError ? reject(result) : resolve(result))));
      };
      const arrive = () => {
        if (fault === 'request lost') return;
        const process = this.#world.processAt(endpoint.address, endpoint.port);
        if (!process) return unavailable('ECONNREFUSED');
        const onExit = () => {
          if (!isAnswered) unavailable('ECONNRESET');
        };
        process.exitListeners.add(onExit);
        cleanups.push(() => process.exitListeners.delete(onExit));
        if (process.isFrozen || !process.isServing) return;
        const busyMs = process.busyUntilMs - clock.monotonicMs();
        if (busyMs > 0) clock.after(busyMs, () => serveAt(process, call, answer));
        else serveAt(process, call, answer);
      };
      later(arrive);
    });
  }
}

function serveAt<T>(process: EtcdProcess, call: Call<T>, answer: Answer<T>): void {
  if (process.hasExited) return;
  answering(answer, () => {
    if (process.isLearner && !call.isForLearners) {
      throw refuse('NotSupportedForLearner', 'rpc not supported for learner');
    }
    if (call.isLed && process.leaderId === undefined) throw refuse('NoLeader', 'no leader');
    call.serve(process, answer);
  });
}

/** A refusal that is thrown is the answer. */
export function answering<T>(answer: Answer<T>, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    answer(error);
  }
}
