/**
 * Runs one pod: its init containers one after another, then its containers, until it is terminated. It writes the status
 * of the pod whenever it changes.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Container, type ContainerStatus, Pod, type PodStatus } from '@ecsm/kubernetes';
import {
  type Clock,
  deepEqual,
  isApiError,
  type Log,
  type Registry,
  sleep,
  timestampAt,
  withFields,
} from '@ecsm/runtime';
import { type Binaries, commandOf } from './container-command.ts';
import { ContainerProcess, type Signal } from './container-process.ts';
import { ContainerRunner, type RestartBackoff } from './container-runner.ts';
import { environmentOf } from './environment.ts';
import type { ProcessWrapper } from './name-lookup.ts';
import { dataReader, type ObjectKind } from './object-data.ts';
import { initialStatus, podStatus } from './pod-status.ts';
import { PodVolumes } from './pod-volumes.ts';
import { messagePathOf, terminationMessage, withPath } from './termination-message.ts';

/** What all pods of a node share. */
export interface PodEnvironment {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  readonly binaries: Binaries;
  readonly wrapper: ProcessWrapper;
  readonly backoff: RestartBackoff;
  readonly nodeAddress: string;
  /** For volumes, logs and temporary files. */
  readonly directory: string;
}

export interface RunningContainer {
  readonly name: string;
  readonly pid: number | undefined;
  readonly restartCount: number;
  readonly logFile: string;
}

const writeRetryMs = 500;

export class PodWorker {
  readonly pod: Pod;
  readonly address: string;
  readonly directory: string;
  readonly #environment: PodEnvironment;
  readonly #log: Log;
  readonly #volumes: PodVolumes;
  readonly #startTime: string;
  readonly #runners = new Map<string, ContainerRunner>();
  readonly #stop = new AbortController();
  #graceMs = 0;
  #hasEnded = false;
  #running: Promise<void> = Promise.resolve();
  #ended: Promise<void> | undefined;
  /** The status is not written any more: the pod is gone, or the node stops. */
  #isSilent = false;
  #isChanged = false;
  #writing: Promise<void> | undefined;
  #written: PodStatus | undefined;

  constructor(pod: Pod, address: string, environment: PodEnvironment) {
    const { namespace, name, uid } = pod.metadata;
    const { clock, registry, directory, log } = environment;
    this.pod = pod;
    this.address = address;
    this.directory = join(directory, 'pods', uid);
    this.#environment = environment;
    this.#log = withFields(log, { namespace, pod: name });
    this.#startTime = pod.status?.startTime ?? timestampAt(clock.now());
    this.#written = pod.status;
    this.#volumes = new PodVolumes({
      pod,
      address,
      registry,
      read: dataReader(registry),
      podDirectory: this.directory,
      volumesDirectory: join(directory, 'volumes'),
    });
  }

  start(): void {
    mkdirSync(join(this.directory, 'logs'), { recursive: true });
    this.#running = this.#run();
    this.#report();
  }

  uses(kind: ObjectKind | 'PersistentVolumeClaim', name: string): boolean {
    return this.#volumes.uses(kind, name);
  }

  /** Updates the files of volumes, and tries containers again that could not be started. */
  async refresh(): Promise<void> {
    if (this.#runners.size > 0 && this.containers.some(({ pid }) => pid !== undefined)) await this.#volumes.prepare();
    for (const runner of this.#runners.values()) runner.nudge();
  }

  get containers(): readonly RunningContainer[] {
    return [...this.#runners].map(([name, runner]) => ({
      name,
      pid: runner.process?.pid,
      restartCount: runner.status().restartCount,
      logFile: this.#logFile(name),
    }));
  }

  /** To the processes of all containers. */
  signal(signal: Signal): void {
    for (const runner of this.#runners.values()) runner.signal(signal);
  }

  /**
   * Ends all processes: SIGTERM, then SIGKILL after the grace period. Resolves when they have exited. With `isSilent` the
   * status is not written. A later call may shorten the grace period.
   */
  terminate(graceMs: number, isSilent = false): Promise<void> {
    this.#isSilent ||= isSilent;
    this.#graceMs = this.#ended === undefined ? graceMs : Math.min(this.#graceMs, graceMs);
    this.#stop.abort();
    for (const runner of this.#runners.values()) runner.stop(this.#graceMs);
    this.#ended ??= this.#end();
    return this.#ended;
  }

  /** To be called after `terminate`. */
  removeFiles(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    await this.#running;
    this.#hasEnded = true;
    this.#report();
    await this.#writing;
  }

  async #run(): Promise<void> {
    const { initContainers = [], containers, restartPolicy } = this.pod.spec;
    for (const container of initContainers) {
      const runner = this.#runner(
        container,
        restartPolicy === 'Never' ? 'Never' : 'OnFailure',
        this.pod.status?.initContainerStatuses,
      );
      await runner.run();
      if (this.#stop.signal.aborted) return;
      if (runner.exitCode !== 0) return this.#endAlone();
    }
    const runners = containers.map((container) =>
      this.#runner(container, restartPolicy, this.pod.status?.containerStatuses),
    );
    await Promise.all(runners.map((runner) => runner.run()));
    if (!this.#stop.signal.aborted) this.#endAlone();
  }

  /** All containers have ended by themselves. */
  #endAlone(): void {
    this.#hasEnded = true;
    this.#report();
  }

  #runner(
    container: Container,
    restart: 'Always' | 'OnFailure' | 'Never',
    previous: readonly ContainerStatus[] = [],
  ): ContainerRunner {
    const { clock, backoff } = this.#environment;
    const runner = new ContainerRunner({
      container,
      restart,
      address: this.address,
      graceMs: this.pod.spec.terminationGracePeriodSeconds * 1_000,
      backoff,
      clock,
      log: this.#log,
      previous: previous.find(({ name }) => name === container.name),
      start: (each) => this.#startProcess(each),
      messageOf: (each, exitCode) => this.#messageOf(each, exitCode),
      changed: () => this.#report(),
    });
    this.#runners.set(container.name, runner);
    return runner;
  }

  async #startProcess(container: Container): Promise<ContainerProcess> {
    const { registry, nodeAddress, binaries, wrapper } = this.#environment;
    const { pod, address } = this;
    await this.#volumes.prepare();
    const sources = { pod, podAddress: address, nodeAddress, read: dataReader(registry) };
    const variables = await environmentOf(container, sources);
    const messageFile = this.#messageFile(container);
    rmSync(messageFile, { force: true });
    const rewrite = withPath(this.#volumes.rewrite, messagePathOf(container), messageFile);
    const command = commandOf(container, { binaries, variables, rewrite, hostname: pod.metadata.name });
    this.#log.write('debug', 'starting container', { container: container.name, address });
    return new ContainerProcess(wrapper.wrap(command), this.directory, this.#logFile(container.name));
  }

  /** What the container wrote for its status, as kubelet reads it. */
  #messageOf(container: Container, exitCode: number): string | undefined {
    const isLog = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
    return terminationMessage(this.#messageFile(container), isLog ? this.#logFile(container.name) : undefined);
  }

  #messageFile({ name }: Container): string {
    return join(this.directory, `termination-${name}`);
  }

  #logFile(container: string): string {
    return join(this.directory, 'logs', `${container}.log`);
  }

  #report(): void {
    this.#isChanged = true;
    this.#writing ??= this.#write();
  }

  /** One write at a time; changes in between are written together. */
  async #write(): Promise<void> {
    const { registry, clock } = this.#environment;
    const { name, namespace, uid } = this.pod.metadata;
    // After the assignment of `#writing`, which is reset in the same step as the last look for changes.
    await Promise.resolve();
    while (this.#isChanged && !this.#isSilent) {
      this.#isChanged = false;
      const status = this.#status();
      if (deepEqual(status, this.#written)) continue;
      try {
        await registry.resource(Pod).updateStatus({ metadata: { name, namespace, uid }, status });
        this.#written = status;
      } catch (error) {
        if (isApiError(error, 'Closed') || (await this.#isGone(error))) {
          this.#isSilent = true;
          break;
        }
        this.#log.write('warn', 'pod status not written; retrying', { error: String(error) });
        this.#isChanged = true;
        await sleep(clock, writeRetryMs);
      }
    }
    this.#writing = undefined;
  }

  /** A conflict is temporary, unless the name belongs to another pod now. */
  async #isGone(error: unknown): Promise<boolean> {
    if (isApiError(error, 'NotFound')) return true;
    if (!isApiError(error, 'Conflict')) return false;
    const { name, namespace, uid } = this.pod.metadata;
    try {
      return (await this.#environment.registry.resource(Pod).get(name, { namespace })).metadata.uid !== uid;
    } catch (failure) {
      return isApiError(failure, 'NotFound');
    }
  }

  #status(): PodStatus {
    const { pod, address } = this;
    const { clock, nodeAddress } = this.#environment;
    const statusOf = (container: Container) => this.#runners.get(container.name)?.status() ?? initialStatus(container);
    const { qosClass } = pod.status ?? {};
    return {
      ...podStatus({
        pod,
        podAddress: address,
        nodeAddress,
        startTime: this.#startTime,
        now: timestampAt(clock.now()),
        initContainers: (pod.spec.initContainers ?? []).map(statusOf),
        containers: pod.spec.containers.map(statusOf),
        hasEnded: this.#hasEnded,
        conditions: this.#written?.conditions,
      }),
      ...(qosClass === undefined ? {} : { qosClass }),
    };
  }
}
