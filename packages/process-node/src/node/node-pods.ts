/** The pods of a node: a controller that binds them, starts a worker for each, and removes them when it has ended. */
import { join } from 'node:path';
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import {
  ApiError,
  type ApiObject,
  Controller,
  type ControllerContext,
  type Kind,
  keyOf,
  type ObjectName,
  type ReconcileResult,
  type Registry,
  valueAt,
} from '@ecsm/runtime';
import type { Addresses } from './addresses.ts';
import { isSchedulable } from './node-object.ts';
import { bindPod, podFinalizer, protectPod, removePod } from './pod-requests.ts';
import { type PodEnvironment, PodWorker } from './pod-worker.ts';

interface NodePodsOptions {
  readonly environment: PodEnvironment;
  readonly addresses: Addresses;
  /** Name of the node. */
  readonly node: string;
  readonly schedule: boolean;
}

/** While the processes of an older pod of the same name end, or the node takes no pods. */
const retryMs = 1_000;

export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #controller: Controller<Pod['spec'], NonNullable<Pod['status']>>;
  /** By key: there is one pod of a name at a time. */
  readonly #workers = new Map<string, PodWorker>();
  readonly #ending = new WeakSet<PodWorker>();
  #isStopping = false;

  constructor(options: NodePodsOptions) {
    this.#options = options;
    this.#controller = new Controller({
      name: 'process-node',
      kind: Pod,
      watches: [ConfigMap, Secret, PersistentVolumeClaim].map((kind) => ({
        kind,
        map: (object) => this.#usersOf(kind, object),
      })),
      workers: 8,
      log: options.environment.log,
      reconcile: async ({ key }, { get, registry }) => this.#reconcile(key, await get(), registry),
    });
  }

  run(context: ControllerContext): Promise<void> {
    return this.#controller.run(context);
  }

  facts() {
    return [...this.#workers.values()].map(({ pod: { metadata }, address, directory, containers }) => ({
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      address,
      directory,
      containers,
    }));
  }

  /** Throws `NotFound`. */
  worker(namespace: string, name: string): PodWorker {
    const worker = this.#workers.get(keyOf(Pod, namespace, name));
    if (worker === undefined) throw new ApiError('NotFound', { kind: 'Pod', name: join(namespace, name) });
    return worker;
  }

  /** Ends all processes; the objects stay as they are. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#workers.values()].map((worker) => worker.terminate(graceMs, true)));
  }

  async #reconcile(key: string, pod: Pod | undefined, registry: Registry): Promise<ReconcileResult> {
    if (this.#isStopping) return;
    const worker = this.#workers.get(key);
    if (worker !== undefined && worker.pod.metadata.uid !== pod?.metadata.uid) {
      // Deleted without the finalizer. A new pod of the name waits: it may have the same volumes.
      this.#terminate(key, worker, graceMsOf(worker.pod));
      return;
    }
    if (pod === undefined) return;
    const { deletionTimestamp, finalizers = [] } = pod.metadata;
    const isOurs = pod.spec.nodeName === this.#options.node;
    if (deletionTimestamp !== undefined) {
      if (worker) this.#terminate(key, worker, graceMsOf(pod));
      else if (isOurs || finalizers.includes(podFinalizer)) await removePod(registry, pod);
    } else if (pod.spec.nodeName === undefined) return this.#bind(registry, pod);
    else if (!isOurs) return;
    else if (!finalizers.includes(podFinalizer)) await protectPod(registry, pod);
    else if (worker) await worker.refresh();
    else if (pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded') this.#start(key, pod);
  }

  async #bind(registry: Registry, pod: Pod): Promise<ReconcileResult> {
    const { node, schedule } = this.#options;
    if (!schedule) return;
    if (!(await isSchedulable(registry, node))) return { requeueAfterMs: retryMs };
    await bindPod(registry, pod, node);
  }

  #start(key: string, pod: Pod): void {
    const { addresses, environment } = this.#options;
    const worker = new PodWorker(pod, addresses.take(), environment);
    this.#workers.set(key, worker);
    worker.start();
  }

  /** Enqueues the pod again when its processes have ended. */
  #terminate(key: string, worker: PodWorker, graceMs: number): void {
    const ended = worker.terminate(graceMs);
    if (this.#ending.has(worker)) return;
    this.#ending.add(worker);
    void ended.then(() => {
      if (this.#isStopping) return;
      worker.removeFiles();
      this.#options.addresses.release(worker.address);
      this.#workers.delete(key);
      this.#controller.queue?.add(key, { reason: 'processes ended' });
    });
  }

  /** The pods of this node that use an object. */
  #usersOf({ kind }: Kind, { metadata }: ApiObject<unknown, unknown>): readonly ObjectName[] {
    const known = kind === 'ConfigMap' || kind === 'Secret' || kind === 'PersistentVolumeClaim' ? kind : undefined;
    if (known === undefined) return [];
    return [...this.#workers.values()]
      .filter((worker) => worker.pod.metadata.namespace === metadata.namespace && worker.uses(known, metadata.name))
      .map(({ pod }) => ({ name: pod.metadata.name, namespace: pod.metadata.namespace }));
  }
}

/** An API server of Kubernetes sets the grace period of a deletion. */
function graceMsOf(pod: Pod): number {
  const requested = valueAt(pod, ['metadata', 'deletionGracePeriodSeconds']);
  const seconds = typeof requested === 'number' ? requested : pod.spec.terminationGracePeriodSeconds;
  return seconds * 1_000;
}
