/**
 * A simulated kubelet for all nodes; the pod of each slot has a node of its own. It starts simulated members from the
 * ConfigMap and the volume of their pod, starts them again when they exit, and reports their status.
 */
import { Pod } from '@ecsm/kubernetes';
import { type Clock, deepEqual, isApiError, type Registry } from '@ecsm/runtime';
import { names } from '../../src/apis/well-known.ts';
import type { EtcdCredentials } from '../../src/client/etcd/contract.ts';
import { readConfigFile } from '../../src/client/etcd/simulated/config.kit.ts';
import { EtcdVolume } from '../../src/client/etcd/simulated/model.kit.ts';
import type { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';
import { isIssuedBy } from './issuer.kit.ts';
import { isReady, podStatusOf, readyCondition, type Sandbox } from './pod-status.kit.ts';
import { clusterName, namespace, slotIn, type View } from './view.kit.ts';

/** As the operator's setting. */
const restartsMax = 5;
const finalizer = 'kubelet.test/process';
const tickMs = 600;
/** Between looks at pods whose status does not change. */
const restMs = 8_000;
const backoffMsMax = 10_000;
/** After it, pods on a node that does not answer are reported as not ready. */
const nodeGraceMs = 20_000;

/** How a container fails to start: its image cannot be pulled, or its process ends at once. */
export type ImageFault = 'pull' | 'exit';

export interface StartedMember {
  readonly slot: number;
  readonly volume: EtcdVolume;
  readonly isNew: boolean;
  readonly isForced: boolean;
}

interface KubeletOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly etcd: SimulatedEtcd;
  readonly view: View;
  /** How old the mounted ConfigMap of a container that restarts may be. */
  readonly mountMs: number;
  /** Called before a member starts. */
  readonly onStart: (member: StartedMember) => void;
  readonly failed: (error: unknown) => void;
}

export class Kubelet {
  readonly #options: KubeletOptions;
  /** By uid of the claim: a new claim is an empty volume. */
  readonly volumes = new Map<string, EtcdVolume>();
  /** Since when a node has not answered, by slot. */
  readonly lostNodes = new Map<number, number>();
  readonly imageFaults = new Map<number, ImageFault>();
  /** By slot: what new pods mount, as of a node that does not see changes of the ConfigMap. They keep it. */
  readonly oldConfigs = new Map<number, string>();
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Whether members refuse the certificate of the operator, whatever it is. */
  refusesOperator = false;
  /** How many addresses pods have had. */
  addresses = 0;
  #isRunning = false;
  #isPoked = false;
  #nextTick: (() => void) | undefined;

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  /** What each running member trusted when it started, and the certificate that it serves with now, by slot. */
  get trusts(): readonly { readonly slot: number; readonly trust: string; readonly leaf: string }[] {
    const newest = this.#options.view.secret(names.serverSecret(clusterName), 'tls.crt');
    return [...this.#sandboxes.values()].flatMap((sandbox) => {
      const { slot, trust, state } = sandbox;
      // Files of a Secret that was deleted stay.
      sandbox.leaf = newest ?? sandbox.leaf;
      return state === 'running' && trust !== undefined ? [{ slot, trust, leaf: sandbox.leaf ?? '' }] : [];
    });
  }

  /** Why the handshake with the member at an address fails. */
  refusalOf(address: string, credentials: EtcdCredentials | undefined): string | undefined {
    const sandbox = [...this.#sandboxes.values()].find((one) => one.address === address);
    const member = this.trusts.find(({ slot }) => slot === sandbox?.slot);
    if (this.refusesOperator && sandbox) return 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA';
    if (member === undefined) return undefined;
    if (credentials === undefined) return 'HTTP to an HTTPS server';
    if (!isIssuedBy(credentials.cert, member.trust)) return 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA';
    return isIssuedBy(member.leaf, credentials.ca) ? undefined : 'SELF_SIGNED_CERT_IN_CHAIN';
  }

  volumeOf(uid: string): EtcdVolume {
    const volume = this.volumes.get(uid) ?? new EtcdVolume();
    this.volumes.set(uid, volume);
    return volume;
  }

  /** Looks at the pods soon. */
  poke(): void {
    if (this.#isRunning) this.#isPoked = true;
    else this.#schedule(tickMs / 4);
  }

  /** Whether the container of a pod has not started at all, or does not in spite of many attempts. */
  isStuck(slot: number): boolean {
    const sandbox = [...this.#sandboxes.values()].find((one) => one.slot === slot);
    if (sandbox === undefined) return true;
    return sandbox.state !== 'running' && (sandbox.restarts === 0 || sandbox.restarts > restartsMax);
  }

  /** Ends the process of a pod, as if out of memory. */
  killContainer(slot: number): void {
    for (const sandbox of this.#sandboxes.values()) {
      if (sandbox.slot !== slot || sandbox.state !== 'running' || sandbox.peerURL === undefined) continue;
      this.#options.etcd.stop(sandbox.peerURL);
      this.#exited(sandbox, 'OOMKilled');
    }
  }

  setNode(slot: number, isLost: boolean): void {
    const { clock, view, etcd } = this.#options;
    if (isLost) this.lostNodes.set(slot, clock.monotonicMs());
    else this.lostNodes.delete(slot);
    const process = view.process(slot);
    if (process) etcd.freeze(process.options.peerURL, isLost);
    this.poke();
  }

  #schedule(delayMs: number): void {
    this.#nextTick?.();
    this.#nextTick = this.#options.clock.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#isPoked = false;
    let isBusy = false;
    try {
      isBusy = await this.#tick();
    } catch (error) {
      this.#options.failed(error);
    }
    this.#isRunning = false;
    this.#schedule(this.#isPoked ? tickMs / 4 : isBusy ? tickMs : restMs);
  }

  /** Returns whether something is in progress. */
  async #tick(): Promise<boolean> {
    let isBusy = false;
    const { pods } = this.#options.view;
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const sandbox of [...this.#sandboxes.values()]) if (!uids.has(sandbox.uid)) this.#end(sandbox);
    for (const pod of pods) {
      try {
        isBusy = (await this.#sync(pod)) || isBusy;
      } catch (error) {
        // It changed meanwhile: the next look sees it as it is.
        if (!isApiError(error, 'Conflict') && !isApiError(error, 'NotFound')) throw error;
        isBusy = true;
      }
    }
    return isBusy;
  }

  async #sync(pod: Pod): Promise<boolean> {
    const { registry, clock } = this.#options;
    const { name, uid, resourceVersion, deletionTimestamp, finalizers = [] } = pod.metadata;
    const slot = slotIn(name);
    const lostMs = this.lostNodes.get(slot);
    if (lostMs !== undefined) {
      if (clock.monotonicMs() - lostMs < nodeGraceMs) return true;
      if (isReady(pod))
        await this.#write(pod, { ...pod.status, conditions: [readyCondition(false, pod, clock.now())] });
      return false;
    }
    const sandbox = this.#sandboxes.get(uid);
    const pods = registry.resource(Pod);
    if (deletionTimestamp !== undefined) {
      if (sandbox) this.#end(sandbox);
      const others = finalizers.filter((each) => each !== finalizer);
      await pods.patch(name, { metadata: { finalizers: others } }, { namespace, uid, resourceVersion });
      return true;
    }
    if (!finalizers.includes(finalizer)) {
      const patch = { metadata: { finalizers: [...finalizers, finalizer] }, spec: { nodeName: `node-${slot}` } };
      await pods.patch(name, patch, { namespace, uid, resourceVersion });
      return true;
    }
    const current = sandbox ?? this.#create(uid, slot);
    this.#start(pod, current);
    const status = podStatusOf(current, this.#options.view.isUp(slot), pod, clock.now());
    const isSame = deepEqual(status, pod.status);
    if (!isSame) await this.#write(pod, status);
    return !isSame || !this.#options.view.isUp(slot);
  }

  #create(uid: string, slot: number): Sandbox {
    const number = ++this.addresses;
    const oldConfig = this.oldConfigs.get(slot);
    const sandbox: Sandbox = {
      uid,
      slot,
      address: `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`,
      state: 'waiting',
      restarts: 0,
      reason: undefined,
      peerURL: undefined,
      nextStartMs: 0,
      config: oldConfig === undefined ? undefined : { text: oldConfig, readMs: Number.POSITIVE_INFINITY },
      trust: undefined,
      leaf: undefined,
    };
    this.#sandboxes.set(uid, sandbox);
    return sandbox;
  }

  #start(pod: Pod, sandbox: Sandbox): void {
    const { clock, etcd, view, onStart, mountMs } = this.#options;
    const nowMs = clock.monotonicMs();
    if (sandbox.state === 'running' || nowMs < sandbox.nextStartMs) return;
    const { slot } = sandbox;
    const claim = view.claim(slot);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    // A volume of a Secret that does not exist cannot be mounted.
    const secrets = pod.spec.volumes?.flatMap(({ secret }) => secret?.secretName ?? []) ?? [];
    if (secrets.some((name) => view.secret(name, 'tls.crt') === undefined)) return;
    const fault = this.imageFaults.get(slot);
    if (fault === 'pull') {
      sandbox.state = 'pulling';
      sandbox.nextStartMs = nowMs + backoffMsMax / 2;
      return;
    }
    if (sandbox.config === undefined || nowMs - sandbox.config.readMs > mountMs) {
      sandbox.config = { text: view.config(slot), readMs: nowMs };
    }
    const { text } = sandbox.config;
    if (text === undefined || fault === 'exit') {
      this.#exited(sandbox, `Error: ${text === undefined ? 'no such file or directory' : 'exec format error'}`);
      return;
    }
    const options = readConfigFile(text);
    // The process of an earlier pod of the name ends before this one begins.
    if (etcd.isRunning(options.peerURL)) return;
    const volume = this.volumeOf(claim.metadata.uid);
    const isNew = options.initialClusterState === 'new' && volume.data === undefined;
    onStart({ slot, volume, isNew, isForced: options.forceNewCluster === true && volume.data !== undefined });
    sandbox.state = 'running';
    sandbox.peerURL = options.peerURL;
    sandbox.trust = view.secret(`${clusterName}-peer-tls`, 'ca.crt');
    const version = /:v(.+)$/u.exec(pod.spec.containers[0]?.image ?? '')?.[1] ?? '3.5.26';
    etcd.start({
      ...options,
      address: sandbox.address,
      version,
      volume,
      onExit: (reason) => {
        if (this.#sandboxes.get(sandbox.uid) === sandbox) this.#exited(sandbox, `Error: ${reason}`);
      },
    });
  }

  #exited(sandbox: Sandbox, reason: string): void {
    sandbox.state = 'backoff';
    sandbox.reason = reason;
    sandbox.restarts++;
    sandbox.nextStartMs =
      this.#options.clock.monotonicMs() + Math.min(backoffMsMax, 500 * 2 ** Math.min(sandbox.restarts, 8));
    this.poke();
  }

  #end(sandbox: Sandbox): void {
    this.#sandboxes.delete(sandbox.uid);
    if (sandbox.state === 'running' && sandbox.peerURL !== undefined) this.#options.etcd.stop(sandbox.peerURL);
  }

  async #write({ metadata }: Pod, status: NonNullable<Pod['status']>): Promise<void> {
    const { name, uid } = metadata;
    await this.#options.registry.resource(Pod).updateStatus({ metadata: { name, namespace, uid }, status });
  }
}
