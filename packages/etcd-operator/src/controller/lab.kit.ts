/**
 * A cluster on a registry in memory whose pods, volumes and members exist only as far as a test sets them. Nothing acts
 * but the code under test.
 */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import type { EmbeddedRegistry } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { EtcdCluster, type EtcdClusterInput } from '../apis/etcd-cluster.ts';
import type { EtcdAlarm } from '../client/etcd/contract.ts';
import { member, ScriptedEtcd, statusOfMember } from '../client/etcd/scripted.kit.ts';
import { createCluster, memoryRegistry, ToyIssuer, withoutTls } from '../resource/cluster.kit.ts';
import { settings } from '../service/pass-settings.kit.ts';
import type { ClusterAccessOptions } from './cluster-access.ts';

const labels = { 'etcd.ecsm.sh/cluster': 'main' };

export class Lab {
  readonly clock = new VirtualClock();
  readonly registry: EmbeddedRegistry;
  readonly options: ClusterAccessOptions;
  readonly etcd = new ScriptedEtcd();
  /** Connections to etcd that are open. */
  connections = 0;
  connectionsMax = 0;

  constructor(registry?: EmbeddedRegistry) {
    this.registry = registry ?? memoryRegistry(this.clock);
    this.options = {
      registry: this.registry,
      connect: () => this.#connect(),
      issuer: new ToyIssuer(this.clock),
      clock: this.clock,
      callTimeoutMs: 5_000,
      settings,
    };
  }

  create(spec: EtcdClusterInput['spec'] = {}, metadata: Omit<EtcdClusterInput['metadata'], 'name'> = {}) {
    return createCluster({ ...withoutTls, ...spec }, { registry: this.registry, metadata });
  }

  get(): Promise<EtcdCluster> {
    return this.registry.resource(EtcdCluster).get('main');
  }

  /** The pods of slots 0 to `count - 1` with bound volumes, and a member with the id `a`, `b` … in each. */
  async start(count: number, templateHash = ''): Promise<void> {
    const { uid } = (await this.get()).metadata;
    for (let slot = 0; slot < count; slot++) {
      await this.#pod(slot, templateHash);
      await this.claim(slot, uid);
    }
    this.elect('abcdefg'.slice(0, count));
  }

  /** As a StatefulSet does whose range does not contain the slot. */
  async stop(slot: number): Promise<void> {
    await this.registry.resource(Pod).delete(`main-${slot}`);
    this.etcd.members.delete(addressOf(slot));
  }

  async claim(slot: number, clusterUid: string, storage = '10Gi'): Promise<PersistentVolumeClaim> {
    const claims = this.registry.resource(PersistentVolumeClaim);
    const { metadata } = await claims.create({
      metadata: { name: `data-main-${slot}`, labels: { ...labels, 'etcd.ecsm.sh/cluster-uid': clusterUid } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    return claims.updateStatus({ metadata, status: { phase: 'Bound' } });
  }

  /** Members with these ids in the slots from 0, all of which serve; the first one leads. */
  elect(ids: string, alarms: readonly EtcdAlarm[] = []): void {
    const list = { clusterId: 'c1', members: [...ids].map((id, slot) => member(id, slot)) };
    for (const [slot, id] of [...ids].entries()) {
      const status = statusOfMember(id, { leaderId: ids.charAt(0), version: '3.5.30' });
      this.etcd.members.set(addressOf(slot), { status, list, alarms });
    }
  }

  async #pod(slot: number, templateHash: string): Promise<void> {
    const pods = this.registry.resource(Pod);
    const annotations = { 'etcd.ecsm.sh/template-hash': templateHash };
    const { metadata } = await pods.create({
      metadata: { name: `main-${slot}`, labels, annotations },
      spec: { containers: [{ name: 'etcd', image: 'etcd' }] },
    });
    const conditions = [{ type: 'Ready', status: 'True' }] as const;
    await pods.updateStatus({ metadata, status: { phase: 'Running', podIP: addressOf(slot), conditions } });
  }

  #connect(): ScriptedEtcd {
    this.connections += 1;
    this.connectionsMax = Math.max(this.connectionsMax, this.connections);
    this.etcd.onClose = () => {
      this.connections -= 1;
    };
    return this.etcd;
  }
}

function addressOf(slot: number): string {
  return `10.0.0.${slot}`;
}
