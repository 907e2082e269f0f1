/** A stream that is to be stored. Its own errors are kept apart from those of the store: the caller gets them unchanged. */
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
      this.#failure = { error };
      throw error;
    }
  }

  hasFailedWith(error: unknown): boolean {
    return this.#failure !== undefined && this.#failure.error === error;
  }
}
