/** A stream that is to be stored. Errors of the caller are kept apart from those of the store: it gets them unchanged. */
export class Source implements AsyncIterable<Uint8Array> {
  readonly #body: AsyncIterable<Uint8Array>;
  #failure: { readonly error: unknown } | undefined;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#body;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Runs other code of the caller. */
  async run(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  hasFailedWith(error: unknown): boolean {
    return this.#failure !== undefined && this.#failure.error === error;
  }

  #failed(error: unknown): unknown {
    this.#failure = { error };
    return error;
  }
}
