/**
 * The Registry contract over a Kubernetes API server, real or our own. It has no capability: the server compacts its
 * history and collects garbage itself, and has neither fences nor commits of several objects.
 */
import {
  ApiError,
  type Capabilities,
  type Clock,
  type Kind,
  KindSet,
  type Log,
  locate,
  type Place,
  type Random,
  type Registry,
  silentLog,
  systemClock,
  systemRandom,
  type WriteObserver,
} from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { KubernetesResource } from './resource.ts';
import { Writer } from './write.ts';

export interface KubernetesRegistryOptions {
  readonly client: RestClient;
  readonly kinds: Iterable<Kind> | KindSet;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The field manager of writes that name none. Default `ecsm`. */
  readonly manager?: string;
}

const managerDefault = 'ecsm';
const none: Capabilities = {
  fencing: undefined,
  multiKey: undefined,
  encoded: undefined,
  history: undefined,
  garbage: undefined,
  storage: undefined,
};

export class KubernetesRegistry implements Registry {
  readonly client: RestClient;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly manager: string;
  readonly capabilities = none;
  readonly #observers: readonly WriteObserver[];
  readonly #writer: Writer;

  constructor(options: KubernetesRegistryOptions, observers: readonly WriteObserver[] = []) {
    this.client = options.client;
    this.kinds = options.kinds instanceof KindSet ? options.kinds : new KindSet(options.kinds);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.log = options.log ?? silentLog;
    this.manager = options.manager ?? managerDefault;
    this.#observers = observers;
    this.#writer = new Writer(this.client, observers);
  }

  /** The namespace of the context, for tools. The contract's own default is `default`. */
  get namespace(): string {
    return this.client.connection.namespace;
  }

  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): KubernetesResource<Spec, Status, SpecInput, StatusInput> {
    if (this.kinds.find(kind.apiVersion, kind.kind) === undefined) {
      throw new ApiError('BadRequest', {
        reason: `this registry was opened without the kind ${kind.kind} of ${kind.apiVersion}`,
      });
    }
    const { client, clock, random, log, manager } = this;
    return new KubernetesResource(kind, { client, clock, random, log, manager, writer: this.#writer });
  }

  locate(key: string): Place | undefined {
    return locate(this.kinds, key);
  }

  /** Kubernetes guarantees decimal numbers, of any length, since 1.35; servers on etcd have always had them. */
  isNewer(version: string, than: string): boolean {
    const [one, other] = [version.replace(/^0+/, ''), than.replace(/^0+/, '')];
    return one.length === other.length ? one > other : one.length > other.length;
  }

  async checkFence(): Promise<void> {}

  observedBy(observer: WriteObserver): KubernetesRegistry {
    return new KubernetesRegistry(this, [...this.#observers, observer]);
  }

  async close(): Promise<void> {
    this.client.close();
  }
}
