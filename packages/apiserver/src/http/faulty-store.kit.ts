/** A store in memory whose calls fail or hang on request, before or after they have taken effect. */
import { type Commit, MemoryStore } from '@ecsm/runtime';

type StoreCall = 'read' | 'commit' | 'watch';

export type Fault =
  | { readonly type: 'fail'; readonly error: unknown; readonly when: 'before' | 'after' }
  /** The call continues when the promise resolves. */
  | { readonly type: 'hang'; readonly until: Promise<void> };

export class FaultyStore extends MemoryStore {
  /** The fault of the next call. */
  faultOf: (call: StoreCall) => Fault | undefined = () => undefined;
  #breakWatches = new AbortController();

  override get(...request: Parameters<MemoryStore['get']>): ReturnType<MemoryStore['get']> {
    return this.#call('read', () => super.get(...request));
  }

  override list(...request: Parameters<MemoryStore['list']>): ReturnType<MemoryStore['list']> {
    return this.#call('read', () => super.list(...request));
  }

  override versions(...request: Parameters<MemoryStore['versions']>): ReturnType<MemoryStore['versions']> {
    return this.#call('read', () => super.versions(...request));
  }

  override commit(...request: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
    return this.#call('commit', () => super.commit(...request));
  }

  override async *watch(...[prefix, options]: Parameters<MemoryStore['watch']>): AsyncGenerator<Commit, void> {
    const { signal: broken } = this.#breakWatches;
    const signal = AbortSignal.any([broken, ...(options.signal ? [options.signal] : [])]);
    await this.#call('watch', async () => {});
    for await (const commit of super.watch(prefix, { ...options, signal })) yield commit;
    if (broken.aborted) throw broken.reason;
  }

  /** Open watches fail with the error. */
  breakWatches(error: unknown): void {
    this.#breakWatches.abort(error);
    this.#breakWatches = new AbortController();
  }

  async #call<T>(call: StoreCall, run: () => Promise<T>): Promise<T> {
    const fault = this.faultOf(call);
    if (fault?.type === 'hang') await fault.until;
    if (fault?.type === 'fail' && fault.when === 'before') throw fault.error;
    const result = await run();
    if (fault?.type === 'fail' && fault.when === 'after') throw fault.error;
    return result;
  }
}
