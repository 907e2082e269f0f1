/** Callers wait until something has happened for the first time. */
export class Latch {
  #isOpen = false;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when it is open, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#isOpen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
