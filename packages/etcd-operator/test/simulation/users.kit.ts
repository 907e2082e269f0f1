/** What people and faults do to a cluster: edits, lost pods, nodes and volumes, partitions. */
import { Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { findCondition, isApiError, type JsonValue, sleep } from '@ecsm/runtime';
import { EtcdBackup, type EtcdBackupInput } from '../../src/apis/etcd-backup.ts';
import { EtcdCluster, type EtcdClusterInput } from '../../src/apis/etcd-cluster.ts';
import { EtcdRestore, type EtcdRestoreInput } from '../../src/apis/etcd-restore.ts';
import { annotations, labelsOf, names } from '../../src/apis/well-known.ts';
import type { EtcdClient, EtcdEndpoint } from '../../src/client/etcd/contract.ts';
import { isEtcdError } from '../../src/client/etcd/error.ts';
import { quotaBytesDefault } from '../../src/client/etcd/simulated/client.kit.ts';
import { whyUnsettled } from '../../src/controller/operator.ts';
import type { ImageFault } from './kubelet.kit.ts';
import { restoreSettled, specOf } from './settled.kit.ts';
import { clusterName, namespace, slotIn, slots } from './view.kit.ts';
import type { World } from './world.kit.ts';

const settledMsMax = 900_000;
/** The oracle of a story whose cluster does not become what it waits for. */
export const untold = 'a story goes on';

export class Users {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get random() {
    return this.#world.random;
  }

  get view() {
    return this.#world.view;
  }

  pick<T>(...from: readonly [T, ...T[]]): T {
    return this.random.pick(from);
  }

  wait(ms: number): Promise<void> {
    return sleep(this.#world.simulation.clock, ms);
  }

  /** Waits for long, while clients write seldom. */
  async idle(ms: number): Promise<void> {
    const { pace } = this.#world;
    const before = pace.writeMs;
    pace.writeMs = 60_000;
    await this.wait(ms);
    pace.writeMs = before;
  }

  /** A moment in the middle of something. */
  soon(msMax = 15_000): Promise<void> {
    return this.wait(this.random.next() ** 2 * msMax);
  }

  async create(spec: EtcdClusterInput['spec'] & object): Promise<void> {
    await this.#world.registry.resource(EtcdCluster).create({
      metadata: { name: clusterName },
      spec: { ...specOf(3, false), ...spec },
    });
  }

  /** Starts with a cluster that has settled, and whose members run. */
  async startWith(size: number, isTls = false): Promise<void> {
    await restoreSettled(this.#world, size, isTls);
    await this.until(() => slots.slice(0, size).every((slot) => this.view.isUp(slot)));
  }

  async edit(spec: JsonValue): Promise<void> {
    await this.#patch({ spec });
  }

  /** Allows a recovery that may lose writes. */
  async allowRecovery(from: string): Promise<void> {
    await this.#patch({ metadata: { annotations: { [annotations.recoverQuorumFrom]: from } } });
  }

  async #patch(patch: JsonValue): Promise<void> {
    await ignoringMissing(this.#world.registry.resource(EtcdCluster).patch(clusterName, patch));
  }

  async delete(): Promise<void> {
    await ignoringMissing(this.#world.registry.resource(EtcdCluster).delete(clusterName));
  }

  /** Waits until the cluster is as its spec says; not for ever. */
  async settled(msMax = settledMsMax): Promise<boolean> {
    return this.until(() => this.view.cluster !== undefined && whyUnsettled(this.view.cluster) === undefined, msMax);
  }

  async until(isTrue: () => boolean, msMax = settledMsMax): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < msMax; waitedMs += 1_000) {
      if (isTrue()) return true;
      await this.wait(1_000);
    }
    return isTrue();
  }

  /** The slots that have a pod. */
  get running(): readonly number[] {
    return this.view.pods.map(({ metadata }) => slotIn(metadata.name)).filter((slot) => slot >= 0);
  }

  podOf(slot: number): Pod | undefined {
    return this.view.pods.find(({ metadata }) => metadata.name === names.pod(clusterName, slot));
  }

  anySlot(): number {
    const { running } = this;
    return running.length === 0 ? 0 : this.random.pick(running);
  }

  async killPod(slot: number): Promise<void> {
    const pod = this.podOf(slot);
    if (pod === undefined) return;
    const { name, uid } = pod.metadata;
    this.#world.watchdog.excused.add(uid);
    await ignoringMissing(this.#world.registry.resource(Pod).delete(name, { namespace, uid }));
  }

  killContainer(slot: number): void {
    this.#world.kubelet.killContainer(slot);
  }

  setNode(slot: number, isLost: boolean): void {
    this.#world.kubelet.setNode(slot, isLost);
  }

  /** The node of a slot is lost for good, and deleted from Kubernetes: its pod is, too. */
  async deleteNode(slot: number): Promise<void> {
    const pod = this.podOf(slot);
    const process = this.view.process(slot);
    if (process) this.#world.etcd.stop(process.options.peerURL);
    if (pod === undefined) return;
    const { name, uid } = pod.metadata;
    await ignoringMissing(
      this.#world.registry.resource(Pod).patch(name, { metadata: { finalizers: null } }, { namespace }),
    );
    await this.killPod(slot);
    this.#world.watchdog.excused.add(uid);
  }

  setImage(slot: number, fault: ImageFault | undefined): void {
    const { imageFaults } = this.#world.kubelet;
    if (fault === undefined) imageFaults.delete(slot);
    else imageFaults.set(slot, fault);
  }

  /**
   * New pods of a slot mount the configuration that it has now or had when its member joined, and keep it; with `isOld`
   * false those that are created from now on mount the newest one.
   */
  setOldConfig(slot: number, isOld: boolean): void {
    const { oldConfigs } = this.#world.kubelet;
    const config = isOld ? this.view.config(slot) : undefined;
    if (config === undefined) return void oldConfigs.delete(slot);
    const peers = slots.slice(0, slot + 1).flatMap((one) => this.view.process(one)?.options ?? []);
    const joined = { 'initial-cluster': peers.map(({ name, peerURL }) => `${name}=${peerURL}`).join() };
    oldConfigs.set(slot, this.pick(config, JSON.stringify({ ...JSON.parse(config), ...joined })));
  }

  /** Deletes claim and pod, as when a disk is lost. */
  async loseVolume(slot: number): Promise<void> {
    const claim = this.view.claim(slot);
    if (claim === undefined) return;
    const { name, uid } = claim.metadata;
    this.#world.watchdog.excused.add(uid);
    const claims = this.#world.registry.resource(PersistentVolumeClaim);
    await ignoringMissing(claims.delete(name, { namespace, uid }));
    await this.killPod(slot);
  }

  /** Whether a quorum has all data without a slot. */
  isSafeToLose(slot: number): boolean {
    const { truth } = this.view;
    if (truth === undefined || this.view.cluster?.status?.recovery) return false;
    const whole = truth.state.voters
      .map(({ peerURLs }) => slotIn(peerURLs[0]))
      .filter((voter) => this.view.isUp(voter) && this.#hasData(voter));
    return whole.filter((voter) => voter !== slot).length >= truth.state.quorum;
  }

  /** Not if its volume is being deleted. */
  #hasData(slot: number): boolean {
    const process = this.view.process(slot);
    const claim = this.view.claim(slot);
    if (!process?.isSynced || claim === undefined || claim.metadata.deletionTimestamp !== undefined) return false;
    return this.#world.kubelet.volumeOf(claim.metadata.uid) === process.options.volume;
  }

  /** Each of these members is alone; the others are together. */
  isolate(isolated: readonly number[]): void {
    const urls = isolated.flatMap((slot) => this.view.process(slot)?.options.peerURL ?? []);
    this.#world.etcd.partition(...urls.map((url) => [url]));
  }

  heal(): void {
    this.#world.etcd.heal();
  }

  /** Members do not accept the certificate of the operator, and go on with their clients. */
  refuseOperator(isRefused: boolean): void {
    this.#world.kubelet.refusesOperator = isRefused;
  }

  /** Old versions of keys fill the databases up to their quota. */
  fill(slot: number): void {
    const process = this.view.process(slot);
    if (process === undefined) return;
    this.#world.etcd.age(process.options.peerURL, quotaBytesDefault);
    this.#world.etcd.raise(process.options.peerURL, 'NOSPACE');
  }

  /** Clients write many versions of keys and compact them: most of a file is then unused. */
  async age(): Promise<void> {
    const process = this.view.process(this.anySlot());
    if (process === undefined) return;
    const { peerURL, address } = process.options;
    this.#world.etcd.age(peerURL, Math.floor(quotaBytesDefault * 0.7));
    const client = this.#world.etcd.connect(undefined);
    const endpoint = { host: address, address, port: 2379 };
    await client.compact(endpoint, process.state.revision).catch(() => {});
    client.close();
  }

  /** Size of the largest file of a voter. */
  get fileBytesMax(): number {
    return Math.max(...this.voters.map((slot) => this.view.process(slot)?.data.fileBytes ?? Number.POSITIVE_INFINITY));
  }

  /** The data of a member differs, and the others notice. */
  corrupt(slot: number): void {
    const process = this.view.process(slot);
    if (process === undefined) return;
    this.#world.etcd.damage(process.options.peerURL);
    this.#world.etcd.raise(process.options.peerURL, 'CORRUPT');
  }

  /** A user removes a member with etcdctl. */
  async removeMember(slot: number): Promise<void> {
    const process = this.view.process(slot);
    if (process === undefined) return;
    await this.#etcdctl((client, at) => client.remove(at, process.id, { timeoutMs: 5_000 }));
  }

  /** A user adds a member with etcdctl: one that was removed before gets another id. */
  async addMember(slot: number): Promise<void> {
    const { peerURL: known } = this.view.truth?.options ?? {};
    if (known === undefined) return;
    const peerURL = known.replace(/main-\d+/u, names.pod(clusterName, slot));
    await this.#etcdctl((client, at) => client.addLearner(at, peerURL, { timeoutMs: 5_000 }));
  }

  async #etcdctl(call: (client: EtcdClient, at: EtcdEndpoint) => Promise<unknown>): Promise<void> {
    const address = this.voters.map((one) => this.view.process(one)?.options.address).find((one) => one !== undefined);
    if (address === undefined) return;
    const client = this.#world.etcd.connect(undefined);
    try {
      await call(client, { host: address, address, port: 2379 });
    } catch (error) {
      if (!isEtcdError(error)) throw error;
    } finally {
      client.close();
    }
  }

  /** Takes the authority away in one of the ways in which users do, perhaps with certificates of it. */
  async loseAuthority(): Promise<void> {
    const secrets = this.#world.registry.resource(Secret);
    const name = names.caSecret(clusterName);
    const leaves = [names.serverSecret(clusterName), names.peerSecret(clusterName), names.clientSecret(clusterName)];
    for (const leaf of this.pick([], [], [0], [1], [2], [1, 2])) {
      // One of a server or a peer is left: without any, a person has to act.
      const other = leaves[leaf === 0 ? 1 : 0] ?? '';
      if (this.view.secret(other, 'tls.crt') === undefined) continue;
      await ignoringMissing(secrets.delete(leaves[leaf] ?? '', { namespace }));
    }
    switch (this.pick('delete', 'force', 'force', 'empty', 'damage')) {
      case 'delete':
        return ignoringMissing(secrets.delete(name, { namespace }));
      case 'empty':
        return ignoringMissing(secrets.patch(name, { data: null }, { namespace }));
      case 'damage':
        return ignoringMissing(secrets.patch(name, { data: { 'ca.crt': 'eA==', 'ca.key': 'eA==' } }, { namespace }));
      default:
        await ignoringMissing(secrets.patch(name, { metadata: { finalizers: null } }, { namespace }));
        return ignoringMissing(secrets.delete(name, { namespace }));
    }
  }

  /** The Secret of the authority, as a backup has it. */
  get authority(): Readonly<Record<string, string>> {
    const keys = ['ca.crt', 'ca.key'].flatMap((key) => {
      const value = this.view.secret(names.caSecret(clusterName), key);
      return value === undefined ? [] : [[key, Buffer.from(value).toString('base64')] as const];
    });
    return Object.fromEntries(keys);
  }

  /** Writes the Secret of the authority from a backup. */
  async restoreAuthority(data: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { name: names.caSecret(clusterName), namespace, labels: labelsOf(clusterName) };
    await ignoringMissing(
      this.#world.registry.resource(Secret).apply(Secret.input(metadata, { data }), { force: true, manager: 'backup' }),
    );
  }

  /** Fails the run if something does not become true although nothing else happens. */
  async expect(what: string, isTrue: () => boolean): Promise<void> {
    if (!(await this.until(isTrue))) this.fail(what);
  }

  fail(message: string): void {
    this.#world.simulation.fail(untold, message);
  }

  /** Reason of the problem that the status reports. */
  get problem(): string | undefined {
    return findCondition(this.view.cluster?.status?.conditions, 'Degraded')?.reason;
  }

  /** Slots of the voters, as the members know them. */
  get voters(): readonly number[] {
    const voters = this.view.truth?.state.voters ?? [];
    return voters.map(({ peerURLs }) => slotIn(peerURLs[0])).sort((a, b) => a - b);
  }

  /** Slot of the learner, as the members know it. */
  get learner(): number | undefined {
    const found = [...(this.view.truth?.state.members.values() ?? [])].find(({ isLearner }) => isLearner);
    return found && slotIn(found.peerURLs[0]);
  }

  /** A claim with the name of a slot, of another owner. */
  async occupy(slot: number): Promise<void> {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claims = this.#world.registry.resource(PersistentVolumeClaim);
    await claims.create({ metadata: { name: names.claim(clusterName, slot) }, spec });
  }

  /** A pod with the name of a slot, of another owner. */
  async occupyPod(slot: number): Promise<void> {
    const spec = { containers: [{ name: 'other', image: 'other:1' }] };
    await this.#world.registry.resource(Pod).create({ metadata: { name: names.pod(clusterName, slot) }, spec });
  }

  /** As its owner does. */
  async vacatePod(slot: number): Promise<void> {
    await this.#world.registry.resource(Pod).delete(names.pod(clusterName, slot), { namespace });
  }

  async deleteClaim(slot: number): Promise<void> {
    const claim = this.view.claim(slot);
    if (claim === undefined) return;
    const { name, uid } = claim.metadata;
    this.#world.watchdog.excused.add(uid);
    await ignoringMissing(this.#world.registry.resource(PersistentVolumeClaim).delete(name, { namespace, uid }));
  }

  /** Deletes the volumes that a deleted cluster has left behind. */
  async deleteVolumes(): Promise<void> {
    const claims = this.#world.registry.resource(PersistentVolumeClaim);
    for (const { metadata } of this.view.claims) {
      this.#world.watchdog.excused.add(metadata.uid);
      await ignoringMissing(claims.delete(metadata.name, { namespace, uid: metadata.uid }));
    }
    await this.until(() => this.view.claims.length === 0);
  }

  /** One thing goes wrong, and is repaired after a while. */
  async disaster(slot = this.anySlot()): Promise<void> {
    switch (this.pick('pod', 'container', 'node', 'volume', 'isolated', 'image')) {
      case 'pod':
        return this.killPod(slot);
      case 'container':
        return this.killContainer(slot);
      case 'node':
        this.setNode(slot, true);
        return this.#later(() => this.setNode(slot, false));
      case 'volume':
        return this.isSafeToLose(slot) ? this.loseVolume(slot) : undefined;
      case 'image':
        this.setImage(slot, this.pick('pull', 'exit'));
        this.#later(() => this.setImage(slot, undefined));
        return this.killPod(slot);
      default:
        this.isolate([slot]);
        return this.#later(() => this.heal());
    }
  }

  #later(repair: () => void): void {
    this.#world.simulation.clock.after(1 + this.random.next() ** 2 * 200_000, repair);
  }

  get storage() {
    return this.#world.storage;
  }

  async backUp(name: string, spec: Partial<EtcdBackupInput['spec']> = {}): Promise<void> {
    const own = { clusterName, storageType: 'Volume', volume: { claimName: 'backups' }, ...spec } as const;
    await this.#world.registry.resource(EtcdBackup).create({ metadata: { name }, spec: own });
  }

  async editBackup(name: string, spec: JsonValue): Promise<void> {
    await ignoringMissing(this.#world.registry.resource(EtcdBackup).patch(name, { spec }));
  }

  async deleteBackup(name: string): Promise<void> {
    await ignoringMissing(this.#world.registry.resource(EtcdBackup).delete(name));
  }

  async restore(name: string, backupName: string, spec: Partial<EtcdRestoreInput['spec']> = {}): Promise<void> {
    const replace = { restoreType: 'Replace', confirmReplace: clusterName, revisionBump: 0 } as const;
    const own = { backupName, clusterName, ...replace, ...spec };
    await this.#world.registry.resource(EtcdRestore).create({ metadata: { name }, spec: own });
  }

  async deleteRestore(name: string): Promise<void> {
    await ignoringMissing(this.#world.registry.resource(EtcdRestore).delete(name));
  }

  phaseOf(name: string): string | undefined {
    return this.view.backups.find(({ metadata }) => metadata.name === name)?.status?.phase;
  }

  restoreOf(name: string) {
    return this.view.restores.find(({ metadata }) => metadata.name === name)?.status;
  }

  /** Workers end for no reason, and calls of the store fail, until everything is repaired. */
  breakWorkers(): void {
    this.#world.workers.isDangerous = true;
    const { storage, random } = this;
    for (let count = random.integer(0, 4); count > 0; count--) {
      const operation = random.pick(['put', 'get', 'list', 'delete'] as const);
      const fault = random.pick([
        { type: 'lostAnswer' },
        { type: 'refused', code: 'Unavailable' },
        { type: 'refused', code: 'Full' },
        { type: 'halfWay', afterBytes: 10 },
        { type: 'slow', delayMs: 20_000 },
        { type: 'stale', changes: 2 },
      ] as const);
      const isFit =
        (fault.type !== 'halfWay' || operation === 'put') && (fault.type !== 'stale' || operation === 'list');
      if (isFit) storage.inject({ operation, fault });
    }
  }

  /** An object that is not ours, where backups are. */
  plantStranger(): void {
    const key = `default/${clusterName}/20200101T000000Z-stranger-r1.manifest.json`;
    this.storage.plant(key, '{"format":"another"}');
    this.#world.watchdog.backups.strangers.add(key);
  }

  /** Ends every fault. */
  repair(): void {
    this.heal();
    this.refuseOperator(false);
    this.#world.workers.isDangerous = false;
    for (const slot of slots) {
      this.setImage(slot, undefined);
      this.setOldConfig(slot, false);
      if (this.#world.kubelet.lostNodes.has(slot)) this.setNode(slot, false);
    }
  }

  /** Time passes for every machine, without anything happening meanwhile. */
  skip(ms: number): void {
    const { simulation } = this.#world;
    simulation.clock.step(ms);
    for (const process of simulation.processes.values()) process.stepClock(ms);
  }
}

async function ignoringMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
  }
}
