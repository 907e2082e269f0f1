/** What a manager runs, and a group of them while they run: started in order, stopped in reverse. */
import type { Informers } from '../informer/informers.ts';
import type { Registry } from '../registry/contract.ts';
import { isAbort } from './within.ts';

export interface Runnable {
  /** Unique in its manager; `/readyz/<name>` asks for it. */
  readonly name: string;
  /** Whether it may only run in the process that leads. Default true. */
  readonly needsLeader?: boolean;
  /**
   * How long it goes on acting after it was told to stop. With an election it has to be shorter than the time between
   * the end of a leader's term and the end of its lease. Default 0.
   */
  readonly graceMs?: number;
  /**
   * Runs until the signal aborts, and ends when nothing of it is in flight any more. May end earlier if there is nothing
   * left to do; to throw ends the manager. Called again when a lost lease is regained.
   */
  run(context: RunContext): Promise<void>;
  /** Nothing if it is ready, else why not. */
  ready?(): string | undefined;
}

export interface RunContext {
  /** The leader's registry, fenced, for those that need a leader where there is an election. */
  readonly registry: Registry;
  /** Shared by everything that the manager runs. */
  readonly informers: Informers;
  readonly signal: AbortSignal;
}

interface Running {
  readonly name: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** `asked`: whether it had been told to stop before it failed. */
export type FailureListener = (name: string, error: unknown, asked: boolean) => void;

export class RunningGroup {
  /** In the order of start; those that have ended are gone. */
  readonly #running = new Set<Running>();

  constructor(runnables: readonly Runnable[], context: Omit<RunContext, 'signal'>, failed: FailureListener) {
    for (const runnable of runnables) this.#start(runnable, context, failed);
  }

  /** Who has not ended yet. */
  get names(): readonly string[] {
    return [...this.#running].map(({ name }) => name);
  }

  /** Tells the last one to stop, waits for its end, then the one before. */
  async stopInReverse(): Promise<void> {
    for (const running of [...this.#running].reverse()) {
      running.controller.abort();
      await running.ended;
    }
  }

  /** Tells all to stop and waits for their end: for when there is no time for order. */
  async stopAtOnce(): Promise<void> {
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
