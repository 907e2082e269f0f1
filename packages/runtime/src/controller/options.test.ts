/** What the options of a controller change. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import type { ControllerOptions } from './contract.ts';
import { Controller } from './controller.ts';

type Options = Partial<
  Pick<ControllerOptions<unknown, unknown, unknown, unknown>, 'queue' | 'watches' | 'observer'>
> & {
  readonly initialPriority?: number;
  readonly syncMsMax?: number;
};

let registry: EmbeddedRegistry;
let stop: AbortController;
beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  stop = new AbortController();
});
afterEach(() => stop.abort());

const run = (options: Options, reconcile: () => Promise<void> = async () => {}) =>
  new Controller({ name: 'test', kind: Widget, reconcile, ...options }).run({ registry, signal: stop.signal });
const create = (name: string) => registry.resource(Widget).create({ metadata: { name }, spec: {} });
const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });

describe('a controller', () => {
  it('retries with the backoff of its queue', async () => {
    let attempts = 0;
    const running = run({ queue: { backoffMsMin: 1, backoffMsMax: 1 } }, async () => {
      attempts++;
      throw new ApiError('Unavailable', { what: 'a test', reason: 'always' });
    });
    await create('a');
    // With the default backoff, the twentieth attempt would come after half an hour.
    await eventually(() => attempts).toBeGreaterThan(20);
    stop.abort();
    await running;
  });

  it('rejects an invalid backoff', async () => {
    await expect(run({ queue: { backoffMsMin: 0 } })).rejects.toThrow('backoffMsMin');
  });

  it('enqueues existing objects with their own priority', async () => {
    await create('a');
    const priorities: number[] = [];
    const observer = { queue: { taken: ({ priority }: { priority: number }) => void priorities.push(priority) } };
    const running = run({ initialPriority: 7, observer });
    await eventually(() => priorities).toEqual([7]);
    await create('b');
    await eventually(() => priorities).toEqual([7, 0]);
    stop.abort();
    await running;
  });

  it('ends with Timeout when the first list takes too long, and leaves nothing running', async () => {
    class Away extends MemoryStore {
      override async versions(): Promise<never> {
        throw new ApiError('Unavailable', { what: 'the store', reason: 'it is away' });
      }
    }
    registry = new EmbeddedRegistry({ store: new Away(), kinds: [Widget, Crate] });
    const versions = vi.spyOn(registry.store, 'versions');
    await expect(run({ syncMsMax: 20 })).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringContaining('the first list of Widget'),
    });
    const { length } = versions.mock.calls;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(versions.mock.calls).toHaveLength(length);
  });

  it('refuses to watch an unknown kind before anything runs', async () => {
    registry = new EmbeddedRegistry({ store: registry.store, kinds: [Widget] });
    const versions = vi.spyOn(registry.store, 'versions');
    await expect(run({ watches: [{ kind: Crate, map: () => [] }] })).rejects.toThrow('opened without the kind Crate');
    expect(versions).not.toHaveBeenCalled();
  });
});
