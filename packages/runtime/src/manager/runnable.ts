/** The runnables of a manager, and a group of running ones: started in order, stopped in reverse. */
import type { Informers } from '../informer/informers.ts';
import type { Registry } from '../registry/contract.ts';
import { isAbort } from './within.ts';

export interface Runnable {
  /** Unique in its manager; `/readyz/<name>` is its check. */
  readonly name: string;
  /** Whether it may only run in the leader. Default true. */
  readonly needsLeader?: boolean;
  /**
   * How long it may continue after its signal aborts. With an election it must be shorter than the time between the end
   * of a leader's term and the end of its lease. Default 0.
   */
  readonly graceMs?: number;
  /**
   * Runs until the signal aborts, and resolves when none of its work is in flight. It may resolve earlier; an error ends
   * the manager. Called again when a lost lease is regained.
   */
  run(context: RunContext): Promise<void>;
  /** Returns undefined if it is ready, otherwise the reason why not. */
  ready?(): string | undefined;
  /** A fact about its work, which `/readyz?verbose` shows while it is ready. */
  detail?(): string | undefined;
}

export interface RunContext {
  /** With an election, the fenced registry of the leader for runnables that need a leader. */
  readonly registry: Registry;
  /** Shared by all runnables of the manager. */
  readonly informers: Informers;
  readonly signal: AbortSignal;
}

interface Running {
  readonly name: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** `wasStopping`: whether its signal had aborted before it failed. */
type FailureListener = (name: string, error: unknown, wasStopping: boolean) => void;

export class RunningGroup {
  /** In the order of start, without those that have ended. */
  readonly #running = new Set<Running>();

  constructor(runnables: readonly Runnable[], context: Omit<RunContext, 'signal'>, failed: FailureListener) {
    for (const runnable of runnables) this.#start(runnable, context, failed);
  }

  /** The runnables that have not ended. */
  get names(): readonly string[] {
    return [...this.#running].map(({ name }) => name);
  }

  /** Stops the last one, waits for its end, then stops the one before. */
  async stopInReverse(): Promise<void> {
    for (const running of [...this.#running].reverse()) {
      running.controller.abort();
      await running.ended;
    }
  }

  /** Stops all concurrently and waits for their end: for a lost lease or an exceeded time limit. */
  async stopAll(): Promise<void> {
    const all = [...this.#running].reverse();
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  #start(runnable: Runnable, context: Omit<RunContext, 'signal'>, failed: FailureListener): void {
    const { name } = runnable;
    const controller = new AbortController();
    const { signal } = controller;
    const run = async () => {
      try {
        await runnable.run({ ...context, signal });
      } catch (error) {
        if (!isAbort(error, signal)) failed(name, error, signal.aborted);
      }
    };
    const running: Running = { name, controller, ended: run().finally(() => this.#running.delete(running)) };
    this.#running.add(running);
  }
}
