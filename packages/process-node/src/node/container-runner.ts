/**
 * One container: its process, restarted with backoff, and its probes.
 *
 *     waiting ──▶ running ──▶ terminated     (it is not to be restarted)
 *        ▲           │
 *        └───────────┘ exit: at once the first time, then as CrashLoopBackOff
 */
import type { Container, ContainerStatus } from '@ecsm/kubernetes';
import { type Clock, type Log, sleep, timestampAt } from '@ecsm/runtime';
import { startProbes } from './container-probes.ts';
import type { ContainerProcess, Exit, Signal } from './container-process.ts';
import { StartFailure } from './start-failure.ts';

type ContainerState = NonNullable<ContainerStatus['state']>;

export interface RestartBackoff {
  /** Before the second restart; the first one is immediate. */
  readonly msMin: number;
  /** A container that has run for twice as long starts over. */
  readonly msMax: number;
}

interface ContainerRunnerOptions {
  readonly container: Container;
  readonly restart: 'Always' | 'OnFailure' | 'Never';
  readonly address: string;
  /** From SIGTERM to SIGKILL, when a probe has failed. */
  readonly graceMs: number;
  readonly backoff: RestartBackoff;
  readonly clock: Clock;
  readonly log: Log;
  /** Of an earlier run of the node. */
  readonly previous: ContainerStatus | undefined;
  /** Throws `StartFailure`. */
  start(container: Container): Promise<ContainerProcess>;
  /** What the container has to say about its end; undefined if nothing. */
  messageOf?(container: Container, exitCode: number): string | undefined;
  /** The status has changed. */
  changed(): void;
}

/** Between attempts to start a container that cannot be started, unless something changes. */
const startRetryMs = 1_000;

export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #stopping = new AbortController();
  #process: ContainerProcess | undefined;
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #lastState: ContainerState | undefined;
  #restarts = 0;
  /** Consecutive exits, for the backoff. */
  #crashes = 0;
  #isReady = false;
  #isStarted = false;
  #wake = () => {};

  constructor(options: ContainerRunnerOptions) {
    this.#options = options;
    const { previous } = options;
    if (previous === undefined) return;
    const { running, terminated } = previous.state ?? {};
    this.#restarts = previous.restartCount + (running || terminated ? 1 : 0);
    this.#lastState = running ? lostState(running.startedAt) : terminated ? { terminated } : previous.lastState;
  }

  get process(): ContainerProcess | undefined {
    return this.#process;
  }

  /** Undefined if it has not ended for good. */
  get exitCode(): number | undefined {
    return this.#state.terminated?.exitCode;
  }

  status(): ContainerStatus {
    const { name, image } = this.#options.container;
    return {
      name,
      ready: this.#isReady,
      started: this.#isStarted,
      restartCount: this.#restarts,
      state: this.#state,
      lastState: this.#lastState ?? {},
      image: image ?? '',
      imageID: image ?? '',
      ...(this.#process?.pid === undefined ? {} : { containerID: `process://${this.#process.pid}` }),
    };
  }

  /** Runs until the container has ended for good, or was stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const process = await this.#start();
      if (process === undefined) continue;
      const startMs = this.#options.clock.monotonicMs();
      const startedAt = this.#now();
      const exit = await this.#runProcess(process, startedAt);
      const terminated = this.#terminated(exit, startedAt);
      const { restart, backoff, clock } = this.#options;
      if (signal.aborted || restart === 'Never' || (restart === 'OnFailure' && exit.exitCode === 0)) {
        this.#change({ terminated });
        return;
      }
      this.#lastState = { terminated };
      if (clock.monotonicMs() - startMs > 2 * backoff.msMax) this.#crashes = 0;
      await this.#backOff();
      this.#restarts++;
    }
    if (this.#state.waiting) this.#change({ terminated: { exitCode: 0, reason: 'Completed' } });
  }

  /** Tries again now, if it waits because it could not be started. */
  nudge(): void {
    this.#wake();
  }

  signal(signal: Signal): void {
    this.#process?.signal(signal);
  }

  /** SIGTERM, and SIGKILL after the grace period. `run` ends then. */
  stop(graceMs: number): void {
    this.#stopping.abort();
    this.#wake();
    if (this.#process) this.#end(this.#process, graceMs);
  }

  async #start(): Promise<ContainerProcess | undefined> {
    const { container, clock, log, start } = this.#options;
    try {
      const process = await start(container);
      if (!this.#stopping.signal.aborted) return process;
      process.signal('SIGKILL');
      await process.exited;
    } catch (error) {
      // Anything else is a failure of the registry.
      const { reason, message } =
        error instanceof StartFailure ? error : new StartFailure('ContainerCreating', String(error));
      log.write('debug', 'container not started', { container: container.name, reason, message });
      this.#change({ waiting: { reason, message } });
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(clock, startRetryMs, AbortSignal.any([woken.signal, this.#stopping.signal]));
      this.#wake = () => {};
    }
    return undefined;
  }

  async #runProcess(process: ContainerProcess, startedAt: string): Promise<Exit> {
    const { container, address, clock, log, graceMs } = this.#options;
    this.#process = process;
    // A stop that came after the start of the process, and before this line, has not found it.
    if (this.#stopping.signal.aborted) this.#end(process, 0);
    const probing = new AbortController();
    let failure: string | undefined;
    const failed = (reason: string) => {
      failure ??= reason;
      log.write('info', 'container is unhealthy and will be restarted', { container: container.name, reason });
      this.#end(process, graceMs);
    };
    this.#change({ running: { startedAt } });
    const started = () => {
      this.#isStarted = true;
      this.#options.changed();
    };
    const ready = (isReady: boolean) => {
      this.#isReady = isReady;
      this.#options.changed();
    };
    try {
      startProbes({ container, address, clock, signal: probing.signal, started, ready, failed });
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
    }
    const exit = await process.exited;
    probing.abort();
    this.#process = undefined;
    this.#isReady = false;
    this.#isStarted = false;
    return failure === undefined ? exit : { ...exit, message: failure };
  }

  async #backOff(): Promise<void> {
    const { backoff, clock, container } = this.#options;
    const delayMs = this.#crashes === 0 ? 0 : Math.min(backoff.msMax, backoff.msMin * 2 ** (this.#crashes - 1));
    this.#crashes++;
    if (delayMs === 0) return;
    const message = `back-off ${delayMs}ms restarting failed container ${container.name}`;
    this.#change({ waiting: { reason: 'CrashLoopBackOff', message } });
    await sleep(clock, delayMs, this.#stopping.signal);
  }

  #end(process: ContainerProcess, graceMs: number): void {
    process.signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    if (graceMs <= 0) return;
    // A stopped process does not handle SIGTERM, but SIGKILL ends it.
    const cancel = this.#options.clock.after(graceMs, () => process.signal('SIGKILL'));
    void process.exited.then(cancel);
  }

  #terminated(exit: Exit, startedAt: string): NonNullable<ContainerState['terminated']> {
    const { exitCode, signal } = exit;
    const message = exit.message ?? this.#options.messageOf?.(this.#options.container, exitCode);
    const reason = exit.message !== undefined && signal === undefined && exitCode === 128 ? 'StartError' : undefined;
    return {
      exitCode,
      reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      ...(message === undefined ? {} : { message }),
      startedAt,
      finishedAt: this.#now(),
    };
  }

  #change(state: ContainerState): void {
    this.#state = state;
    this.#options.changed();
  }

  #now(): string {
    return timestampAt(this.#options.clock.now());
  }
}

/** A container whose process ended with an earlier run of the node. */
function lostState(startedAt: string | undefined): ContainerState {
  const message = 'the node was restarted';
  return {
    terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message, ...(startedAt ? { startedAt } : {}) },
  };
}
