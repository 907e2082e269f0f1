import { testTerminal } from '@ecsm/command-line/testing';
import { ECSMService } from '@ecsm/operator';
import { ApiError, EmbeddedRegistry, MemoryStore, type Store, type WatchOptions } from '@ecsm/runtime';
import { settled } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { follow } from './follow.ts';
import { serviceInput } from './registry.kit.ts';
import { knownKinds, type Session } from './session.ts';

/** A store that fails on request. */
class Moody extends MemoryStore {
  /** The next ones that fail, and with what. */
  readonly failures: { list: ApiError[]; watch: ApiError[] } = { list: [], watch: [] };

  override async list(...options: Parameters<MemoryStore['list']>): ReturnType<MemoryStore['list']> {
    const failure = this.failures.list.shift();
    if (failure) throw failure;
    return super.list(...options);
  }

  override watch(prefix: string, options: WatchOptions): ReturnType<Store['watch']> {
    const failure = this.failures.watch.shift();
    const source = super.watch(prefix, options);
    return (async function* () {
      if (failure) throw failure;
      yield* source;
    })();
  }
}

function stage() {
  const test = testTerminal();
  const store = new Moody();
  const registry = new EmbeddedRegistry({ store, kinds: knownKinds, clock: test.clock });
  const warnings: string[] = [];
  const session: Session = {
    registry,
    store: () => store,
    kinds: registry.kinds,
    namespace: 'default',
    namespaceFrom: undefined,
    isAllNamespaces: false,
    url: 'memory:',
    warn: (text) => warnings.push(text),
  };
  const services = registry.resource(ECSMService);
  const seen: string[] = [];
  const followed = async () => {
    for await (const step of follow(test.terminal, session, ECSMService, { namespace: 'default' })) {
      seen.push(
        step.type === 'Listed'
          ? `Listed ${step.objects.map(({ metadata }) => metadata.name).join(',')}`
          : `${step.type} ${step.object.metadata.name}`,
      );
    }
  };
  return { ...test, store, services, warnings, seen, followed };
}

const expired = new ApiError('Expired', { reason: 'too old' });
const silent = new ApiError('Unavailable', { what: 'etcd', reason: 'no answer' });

describe('following objects', () => {
  it('lists them, then reports changes, until it is stopped', async () => {
    const { services, seen, followed, interrupt } = stage();
    await services.create(serviceInput('a'));
    const done = followed();
    await settled();
    await services.create(serviceInput('b'));
    await services.create(serviceInput('elsewhere', { namespace: 'orbit' }));
    await services.patch('a', { spec: { paused: true } });
    await services.delete('b');
    await settled();
    interrupt();
    await done;
    expect(seen).toEqual(['Listed a', 'Added b', 'Modified a', 'Deleted b']);
  });

  it('lists again when the history is compacted, and reports the differences', async () => {
    const { services, store, seen, warnings, followed, interrupt } = stage();
    for (const name of ['kept', 'changed', 'deleted', 'replaced']) await services.create(serviceInput(name));
    store.failures.watch.push(expired);
    const original = store.list.bind(store);
    let lists = 0;
    store.list = async (...options) => {
      // Between the watch that fails and the list that follows it.
      if (++lists === 2) {
        await services.patch('changed', { spec: { paused: true } });
        await services.delete('deleted');
        await services.delete('replaced');
        await services.create(serviceInput('replaced'));
        await services.create(serviceInput('added'));
      }
      return original(...options);
    };
    const done = followed();
    await settled();
    interrupt();
    await done;
    expect(seen[0]).toBe('Listed changed,deleted,kept,replaced');
    expect(seen.slice(1)).toEqual([
      'Deleted deleted',
      'Deleted replaced',
      'Added added',
      'Modified changed',
      'Added replaced',
    ]);
    expect(warnings).toEqual([]);
  });

  it('retries while the registry does not respond, and reports it once', async () => {
    const { services, store, seen, warnings, followed, interrupt, clock } = stage();
    store.failures.watch.push(silent);
    const done = followed();
    await settled();
    store.failures.list.push(silent, silent);
    await services.create(serviceInput('a'));
    await clock.advance(500);
    await clock.advance(1_000);
    await clock.advance(2_000);
    await settled();
    interrupt();
    await done;
    expect(seen).toEqual(['Listed ', 'Added a']);
    expect(warnings).toEqual([
      'etcd is unavailable: no answer; last contact 0 s ago, retrying',
      'the registry is reachable again',
    ]);
  });

  it('fails immediately if the first list fails', async () => {
    const { store, followed } = stage();
    store.failures.list.push(silent);
    await expect(followed()).rejects.toThrow('etcd is unavailable: no answer');
  });

  it('fails with errors that cannot be retried', async () => {
    const { store, followed } = stage();
    store.failures.watch.push(new ApiError('Corrupt', { what: 'the log', reason: 'bad sum' }));
    await expect(followed()).rejects.toThrow('the log is damaged');
  });

  it('can be stopped between two attempts', async () => {
    const { store, seen, followed, interrupt } = stage();
    store.failures.watch.push(silent);
    const done = followed();
    await settled();
    interrupt();
    await done;
    expect(seen).toEqual(['Listed ']);
  });
});
