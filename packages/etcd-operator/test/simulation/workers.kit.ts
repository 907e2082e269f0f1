/**
 * Runs the worker pods of backups and restores, as a kubelet does: once, until they end, are killed or are deleted. A pod
 * that is deleted exists until its process has ended: no other one of its name is created before.
 */
import { Pod } from '@ecsm/kubernetes';
import { type Clock, isApiError, type Registry, sleep } from '@ecsm/runtime';
import type { SeededRandom } from '@ecsm/runtime/simulation';
import type { AgentJob } from '../../src/agent/job.ts';
import type { DataDirectory } from '../../src/client/etcd/simulated/model.kit.ts';
import { isStorageError } from '../../src/client/storage/error.ts';
import type { SimulatedStorage } from '../../src/client/storage/simulated/store.kit.ts';
import { AgentFailed, restoreData, simulateJob } from './agent.kit.ts';
import type { Kubelet } from './kubelet.kit.ts';
import { namespace, type View } from './view.kit.ts';

interface WorkersOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly view: View;
  readonly kubelet: () => Kubelet;
  readonly storage: SimulatedStorage;
  /** Called before restored data is written into a volume. */
  readonly onRestore: (data: DataDirectory) => void;
  readonly failed: (error: unknown) => void;
}

class Ended extends Error {}

const finalizer = 'kubelet.test/worker';
const stepMsMax = 4_000;
/** Of each step, while workers are killed. */
const killChance = 0.04;

export class Workers {
  readonly #options: WorkersOptions;
  /** By uid of the pod, of those that work. */
  readonly running = new Map<string, { readonly owner: string; readonly name: string }>();
  readonly #known = new Set<string>();
  /** Whether workers end for no reason. */
  isDangerous = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Looks at the pods. */
  poke(): void {
    for (const pod of this.#options.view.workers) {
      if (this.#known.has(pod.metadata.uid)) continue;
      this.#known.add(pod.metadata.uid);
      this.#run(pod).catch(this.#options.failed);
    }
  }

  #isAlive({ metadata: { uid } }: Pod): boolean {
    return this.#options.view.workers.some((pod) => pod.metadata.uid === uid && !pod.metadata.deletionTimestamp);
  }

  async #run(pod: Pod): Promise<void> {
    const { clock, random } = this.#options;
    const { uid, name, ownerReferences } = pod.metadata;
    await sleep(clock, random.integer(100, stepMsMax));
    // A run may start with a pod that has ended, or whose process has ended with its node.
    const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed' || !this.#isAlive(pod);
    if (isOver || !(await this.#hold(pod, [finalizer]))) return void (await this.#hold(pod, null));
    this.running.set(uid, { name, owner: ownerReferences?.[0]?.uid ?? '' });
    const outcome = await this.#work(pod);
    this.running.delete(uid);
    if (outcome) await this.#report(pod, outcome);
    await this.#hold(pod, null);
  }

  /** Returns false if the pod is gone. */
  async #hold({ metadata: { name, uid } }: Pod, finalizers: readonly string[] | null): Promise<boolean> {
    const patch = { metadata: { finalizers: finalizers && [...finalizers] } };
    try {
      await this.#options.registry.resource(Pod).patch(name, patch, { namespace, uid });
      return true;
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
      return false;
    }
  }

  /** Undefined if it was deleted: its answer is not read any more. */
  async #work(
    pod: Pod,
  ): Promise<{ readonly container: string; readonly exitCode: number; readonly message: string } | undefined> {
    const { clock, random, view, storage, kubelet } = this.#options;
    const step = async () => {
      await sleep(clock, random.integer(1, stepMsMax));
      if (!this.#isAlive(pod)) throw new Ended('deleted');
      if (this.isDangerous && random.next() < killChance) throw new Ended('killed');
    };
    const world = { storage: storage.open(), view, nowMs: () => clock.now(), step };
    const { initContainers = [], containers, volumes = [] } = pod.spec;
    const main = containers[0]?.name ?? '';
    try {
      let result: object = { ok: true };
      for (const container of [...initContainers, ...containers.slice(0, 1)]) {
        const text = container.env?.find(({ name }) => name === 'AGENT_JOB')?.value;
        if (text !== undefined) {
          const job: AgentJob = JSON.parse(text.replaceAll('$$', () => '$'));
          result = await simulateJob(job, world);
          if (job.do === 'commit') await this.#commit(pod, world);
        }
        await step();
      }
      return { container: main, exitCode: 0, message: JSON.stringify(result) };
    } catch (error) {
      if (error instanceof Ended)
        return error.message === 'deleted' ? undefined : { container: main, exitCode: 137, message: '' };
      if (!(error instanceof AgentFailed) && !isStorageError(error)) throw error;
      const isRetriable = error instanceof AgentFailed ? error.isRetriable : true;
      const failure = { ok: false, code: error.code, message: error.message, isRetriable };
      return { container: main, exitCode: 1, message: JSON.stringify(failure) };
    } finally {
      void volumes;
      void kubelet;
    }
  }

  /** The restored data gets into the volume of the claim. */
  async #commit(pod: Pod, world: Parameters<typeof restoreData>[2]): Promise<void> {
    const { view, kubelet, onRestore } = this.#options;
    const fetch = pod.spec.initContainers?.find(({ name }) => name === 'fetch');
    const job: AgentJob = JSON.parse(fetch?.env?.find(({ name }) => name === 'AGENT_JOB')?.value ?? '{}');
    const command = pod.spec.initContainers?.find(({ name }) => name === 'restore')?.command ?? [];
    const flag = (name: string) => command.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
    const claimName = pod.spec.volumes?.find(({ name }) => name === 'data')?.persistentVolumeClaim?.claimName;
    const claim = view.claims.find(({ metadata }) => metadata.name === claimName);
    if (job.do !== 'fetch' || claim === undefined) throw new AgentFailed('NothingRestored', 'no volume', true);
    const member = { peerURL: flag('initial-advertise-peer-urls'), token: flag('initial-cluster-token') };
    const data = await restoreData(job.key, member, world);
    const volume = kubelet().volumeOf(claim.metadata.uid);
    // An earlier attempt has done it.
    if (volume.data !== undefined) return;
    onRestore(data);
    volume.data = data;
  }

  async #report(pod: Pod, { container, exitCode, message }: { container: string; exitCode: number; message: string }) {
    const { name, uid } = pod.metadata;
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...(message ? { message } : {}) };
    const containerStatuses = [{ name: container, ready: false, restartCount: 0, state: { terminated } }];
    const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses } as const;
    try {
      await this.#options.registry.resource(Pod).updateStatus({ metadata: { name, namespace, uid }, status });
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
    }
  }
}
