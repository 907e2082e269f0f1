/**
 * A node that runs the containers of pods as processes of this host: for tests and demonstrations, without a container
 * runtime and without privileges. It binds pods that have no node, runs them, and removes them when they are deleted.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistentVolume } from '@ecsm/kubernetes';
import { type Clock, Informers, keyOf, type Log, type Registry, silentLog } from '@ecsm/runtime';
import {
  type ClusterControllerName,
  clusterControllerNames,
  runClusterControllers,
} from '../controllers/controllers.ts';
import { createStorageClass } from '../controllers/volume-provisioner.ts';
import { Addresses } from './addresses.ts';
import { publishNames } from './cluster-names.ts';
import type { Binaries } from './container-command.ts';
import type { Signal } from './container-process.ts';
import type { RestartBackoff } from './container-runner.ts';
import { HostsFile } from './hosts.ts';
import { type NameLookup, type NameLookupOptions, processWrapper } from './name-lookup.ts';
import { keepReady, registerNode } from './node-object.ts';
import { NodePods } from './node-pods.ts';
import { boundVolume } from './pod-volumes.ts';
import type { RunningContainer } from './pod-worker.ts';

export interface ProcessNodeOptions {
  /** Opened with the kinds of `processNodeKinds`. */
  readonly registry: Registry;
  readonly binaries: Binaries;
  /** Name of the Node object. Default `process-node`. */
  readonly name?: string;
  /** Kept when the node stops, with the volumes. Default: a temporary directory, removed when the node stops. */
  readonly directory?: string;
  /** Default: the clock of the registry. Processes need one that advances by itself. */
  readonly clock?: Clock;
  readonly log?: Log;
  /**
   * The controllers to run. Default true: all of them. False on a cluster with kube-controller-manager: only the
   * provisioner of volumes.
   */
  readonly controllers?: boolean | readonly ClusterControllerName[];
  /** Whether to assign pods without a node to this one. Default true; false with another scheduler. */
  readonly schedule?: boolean;
  /** Between restarts of a container. Default from 1 s to 60 s. */
  readonly backoff?: RestartBackoff;
  /** Between heartbeats of the Node object. Default 10,000. */
  readonly heartbeatMs?: number;
  /** How processes resolve names. Default: the first way that works. */
  readonly names?: Pick<NameLookupOptions, 'only' | 'nssWrapper'>;
}

export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly address: string;
  readonly directory: string;
  readonly containers: readonly RunningContainer[];
}

export interface ProcessNode {
  readonly name: string;
  readonly address: string;
  readonly directory: string;
  /** With `none`, processes cannot resolve the names of pods and services. */
  readonly names: NameLookup;
  /** The pods that this node runs now. */
  pods(): readonly PodFacts[];
  /** SIGKILL to the processes of a pod; they are restarted. Throws `NotFound`. */
  kill(pod: string, namespace?: string): void;
  /** For instance SIGSTOP and SIGCONT, for a process that hangs. Throws `NotFound`. */
  signal(pod: string, signal: Signal, namespace?: string): void;
  /** The directory of a claim; undefined if it is not bound. */
  volumeDirectory(claim: string, namespace?: string): Promise<string | undefined>;
  /** Removes the content of the volume of a claim, as a disk that was lost. Kill its pod first or afterwards. */
  wipe(claim: string, namespace?: string): Promise<void>;
  /** Ends all processes within `graceMs` (default 5,000). The objects of the registry stay. */
  stop(graceMs?: number): Promise<void>;
}

const heartbeatMsDefault = 10_000;
const backoffDefault: RestartBackoff = { msMin: 1_000, msMax: 60_000 };
const stopGraceMsDefault = 5_000;
const namespaceDefault = 'default';

/** Resolves when the node is registered and ready. Throws `Unavailable` if it cannot be started. */
export async function startProcessNode(options: ProcessNodeOptions): Promise<ProcessNode> {
  const { registry, binaries, name = 'process-node', log = silentLog, schedule = true } = options;
  const clock = options.clock ?? registry.clock;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'process-node-'));
  const volumes = join(directory, 'volumes');
  // Pods of an earlier run: their processes have ended with it.
  rmSync(join(directory, 'pods'), { recursive: true, force: true });
  mkdirSync(volumes, { recursive: true });
  const hostsFile = join(directory, 'hosts');
  const hosts = new HostsFile(hostsFile);
  const wrapper = await processWrapper({ ...options.names, hostsFile, resolverFile: join(directory, 'resolv.conf') });
  if (wrapper.names === 'none')
    log.write('warn', 'processes cannot resolve names: neither unshare nor nss_wrapper works');
  const addresses = await Addresses.claim(registry.random);
  const registration = { registry, name, address: addresses.node, clock, log };
  const stopping = new AbortController();
  const { signal } = stopping;
  const informers = new Informers({ registry, log });
  const environment = {
    registry,
    clock,
    log,
    binaries,
    wrapper,
    backoff: options.backoff ?? backoffDefault,
    nodeAddress: addresses.node,
    directory,
  };
  const pods = new NodePods({ environment, addresses, node: name, schedule });
  const { controllers = true } = options;
  const only =
    controllers === true ? clusterControllerNames : controllers === false ? ['provisioner' as const] : controllers;
  const close = async () => {
    await addresses.close();
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    await registerNode(registration);
    if (only.includes('provisioner')) await createStorageClass(registry);
  } catch (error) {
    await close();
    throw error;
  }
  const running = Promise.all([
    keepReady(registration, options.heartbeatMs ?? heartbeatMsDefault, signal),
    pods.run({ registry, signal, informers }),
    publishNames({ registry, informers, hosts, clock, log, signal }),
    removeVolumes(registry, informers, volumes, signal),
    runClusterControllers({ registry, signal, only, informers, log }),
  ]);
  // Reported by `stop`.
  running.catch((error) => log.write('error', 'the process node has failed', { error: String(error) }));
  const volumeDirectory = async (claim: string, namespace = namespaceDefault) => {
    const volume = await boundVolume(registry, namespace, claim);
    return volume === undefined ? undefined : join(volumes, volume);
  };
  return {
    name,
    address: addresses.node,
    directory,
    names: wrapper.names,
    volumeDirectory,
    pods: () => pods.facts(),
    kill: (pod, namespace = namespaceDefault) => pods.worker(namespace, pod).signal('SIGKILL'),
    signal: (pod, which, namespace = namespaceDefault) => pods.worker(namespace, pod).signal(which),
    async wipe(claim, namespace) {
      const found = await volumeDirectory(claim, namespace);
      if (found === undefined || !existsSync(found)) return;
      for (const entry of readdirSync(found)) rmSync(join(found, entry), { recursive: true, force: true });
    },
    async stop(graceMs = stopGraceMsDefault) {
      stopping.abort();
      try {
        await pods.stop(graceMs);
        await running;
      } finally {
        await close();
      }
    },
  };
}

/** Removes the directories of volumes that were deleted, also those deleted while the node was not running. */
async function removeVolumes(registry: Registry, informers: Informers, directory: string, signal: AbortSignal) {
  const used = informers.use(PersistentVolume);
  const remove = (name: string) => rmSync(join(directory, name), { recursive: true, force: true });
  const forget = used.informer.addHandler(({ type, key }) => {
    if (type === 'deleted') remove(registry.locate(key)?.name ?? key);
  });
  await Promise.race([used.informer.synced, aborted(signal)]);
  for (const name of signal.aborted ? [] : readdirSync(directory)) {
    if (used.informer.versionOf(keyOf(PersistentVolume, '', name)) === undefined) remove(name);
  }
  await aborted(signal);
  forget();
  await used.release();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
