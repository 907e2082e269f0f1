/** One cluster: observes it, and carries out the action that was decided. */
import { PersistentVolumeClaim, Pod, type StatefulSet } from '@ecsm/kubernetes';
import { type Clock, isApiError, type Metadata, type Registry } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdCluster as EtcdClusterKind } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { annotations, labels, names as wellKnown } from '../apis/well-known.ts';
import type { ConnectEtcd, EtcdClient, EtcdEndpoint } from '../client/etcd/contract.ts';
import { isEtcdError } from '../client/etcd/error.ts';
import { type MembersOptions, observeMembers } from '../client/etcd/members.ts';
import type { CertificateIssuer } from '../resource/certificates.ts';
import type { CheckedObjects } from '../resource/checked-objects.ts';
import { clusterNames, endpointOf } from '../resource/cluster.ts';
import { Managers, type StaleObject } from '../resource/managers.ts';
import type { PodTemplate } from '../resource/template.ts';
import type { TlsStep } from '../resource/tls-material.ts';
import { clusterFacts } from '../service/cluster/observation.ts';
import { slotsToGrow } from '../service/cluster/range.ts';
import { slotConfigs } from '../service/cluster/slot-config.ts';
import { wantedOf } from '../service/cluster/wanted.ts';
import { countVoters, isServing, quorumOf } from '../service/health/quorum.ts';
import type { Action, PassInput, PassSettings, Recorded, Wanted } from '../service/model.ts';
import { recordedOf } from '../service/monitoring/status.ts';
import { type SecurityObserved, SecurityService } from '../service/security/security.ts';

export interface ClusterAccessOptions {
  readonly registry: Registry;
  readonly connect: ConnectEtcd;
  readonly issuer: CertificateIssuer;
  readonly clock: Clock;
  readonly settings: PassSettings;
  /** Of each call to a member. */
  readonly callTimeoutMs: number;
}

/** What was observed, as the input of a decision, and what an action needs to be carried out. */
export interface ObservedCluster {
  readonly cluster: EtcdCluster;
  readonly input: PassInput;
  readonly set: StatefulSet | undefined;
  readonly template: PodTemplate;
  readonly stale: readonly StaleObject[];
  readonly security: SecurityObserved;
  readonly endpoints: ReadonlyMap<number, EtcdEndpoint>;
  readonly etcd: EtcdClient;
}

/** What earlier passes have found out. */
interface KnownBefore {
  /** Why Kubernetes does not enlarge volumes. */
  readonly resizeRefused?: string | undefined;
  /** Default: they are read. */
  readonly certificates?: SecurityObserved | undefined;
  /** Default: all objects are read. */
  readonly checked?: CheckedObjects | undefined;
}

/** etcd did not do it now: the next pass sees why, and asks again. */
const notYet = [
  'LearnerNotReady',
  'Unhealthy',
  'NotEnoughStarted',
  'TooManyLearners',
  'NoLeader',
  'NotLeader',
] as const;
/** It is done already. */
const alreadyDone = ['MemberNotFound', 'PeerUrlExists', 'NotLearner'] as const;

export class ClusterAccess {
  readonly #options: ClusterAccessOptions;
  readonly #managers: Managers;
  readonly #security: SecurityService;

  constructor(options: ClusterAccessOptions) {
    this.#options = options;
    this.#managers = new Managers(options.registry);
    this.#security = new SecurityService(options.issuer);
  }

  /** Only reads. The caller closes `etcd`. */
  async observe(
    cluster: EtcdCluster,
    signal: AbortSignal,
    { resizeRefused, certificates, checked }: KnownBefore = {},
  ): Promise<ObservedCluster> {
    const { statefulSets, volumes, templates } = this.#managers;
    const restoreName = cluster.metadata.annotations?.[annotations.restore];
    const { namespace = '' } = cluster.metadata;
    const [set, pods, claims, security, restore] = await Promise.all([
      statefulSets.find(cluster),
      volumes.listPods(cluster),
      volumes.list(cluster),
      certificates ?? this.#observeSecurity(cluster),
      restoreName === undefined ? undefined : this.#managers.client.find(EtcdRestore, namespace, restoreName),
    ]);
    const names = clusterNames(cluster);
    const endpoints = new Map<number, EtcdEndpoint>();
    for (const { metadata, status } of pods) {
      const slot = names.slotOfPod(metadata.name);
      const isStopping = metadata.deletionTimestamp !== undefined;
      if (slot === undefined || isStopping || status?.podIP === undefined) continue;
      endpoints.set(slot, endpointOf(cluster, slot, status.podIP));
    }
    const etcd = this.#options.connect(security.credentials);
    const timeoutMs = this.#options.callTimeoutMs;
    const recorded = recordedOf(cluster.status);
    const wanted = wantedOf(cluster, restore);
    const members = await observeMembers(etcd, endpoints, { signal, timeoutMs, ...countAt(recorded, wanted) });
    const nowMs = this.#options.clock.now();
    const observed = { nowMs, slot: recorded.recovery?.target, set, pods, claims, ...members };
    const known = { wanted, recorded, facts: clusterFacts(names, observed) };
    // Those of others have no labels of ours, and the StatefulSet would take them.
    const taken = await this.#taken(cluster, slotsToGrow(known));
    const facts =
      taken.claims.length === 0
        ? known.facts
        : clusterFacts(names, { ...observed, claims: [...claims, ...taken.claims] });
    const version = recorded.version ?? wanted.version;
    const { template, hash } = templates.render(cluster, version, security.trust);
    // While the members are not known, each recorded volume has one.
    const voters = facts.membership ? countVoters(facts).voters : Object.keys(recorded.volumes).length;
    const isStopped = wanted.size === 0 && recorded.stopped !== undefined;
    const minAvailable = isStopped ? 0 : quorumOf(Math.max(voters, wanted.size));
    const objectsWanted = { version, ...slotConfigs(recorded, facts), minAvailable };
    const found = await this.#managers.stale(cluster, objectsWanted, checked);
    const foreignObjects = [
      ...security.foreign,
      ...taken.pods,
      ...found.flatMap((one) => (one.isForeign ? [one.name] : [])),
    ];
    const objects = found.filter(({ isForeign }) => !isForeign);
    const outdated = set && facts.set?.isOurs && facts.set.templateHash !== hash;
    const stale = outdated
      ? [
          ...objects,
          {
            name: `StatefulSet/${set.metadata.name}`,
            isForeign: false,
            apply: () => statefulSets.setTemplate(set, template),
          },
        ]
      : objects;
    const input: PassInput = {
      wanted,
      recorded,
      facts,
      ...(security.facts ? { certificates: security.facts } : {}),
      staleObjects: stale.map(({ name }) => name),
      foreignObjects,
      templateHash: hash,
      ...(resizeRefused === undefined ? {} : { resizeRefused }),
      settings: this.#options.settings,
    };
    return { cluster, input, set, template, stale, security, endpoints, etcd };
  }

  async #observeSecurity(cluster: EtcdCluster): Promise<SecurityObserved> {
    const read = await this.#managers.secrets.read(cluster);
    return this.#security.observed(cluster, read, this.#options.clock.now());
  }

  async #issue(cluster: EtcdCluster, { material, stored }: SecurityObserved, step: TlsStep): Promise<void> {
    const after = this.#security.after(cluster, material, step, this.#options.clock.now());
    await this.#managers.secrets.write(cluster, { material, stored }, after);
  }

  /** Claims and pods with the names of slots that are used next, which this cluster did not create. */
  async #taken({ metadata: { name, namespace = '' } }: EtcdCluster, slots: readonly number[]) {
    const { client } = this.#managers;
    const isForeign = ({ metadata }: { readonly metadata: Metadata }) => metadata.labels?.[labels.cluster] !== name;
    const [claims, pods] = await Promise.all([
      Promise.all(slots.map((slot) => client.find(PersistentVolumeClaim, namespace, wellKnown.claim(name, slot)))),
      Promise.all(slots.map((slot) => client.find(Pod, namespace, wellKnown.pod(name, slot)))),
    ]);
    return {
      claims: claims.flatMap((claim) => (claim && isForeign(claim) ? [claim] : [])),
      pods: pods.flatMap((pod) => (pod && isForeign(pod) ? [`Pod/${pod.metadata.name}`] : [])),
    };
  }

  /** Returns why it was refused for now; undefined if it was done. Throws if that is not known. */
  async perform(observed: ObservedCluster, action: Action, signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#perform(observed, action, signal);
      return undefined;
    } catch (error) {
      if (isEtcdError(error, ...alreadyDone)) return undefined;
      if (isEtcdError(error, ...notYet)) return error.message;
      // The member goes on with it.
      if ((action.do === 'compact' || action.do === 'defragment') && isEtcdError(error, 'Timeout'))
        return error.message;
      const isRefusal = isApiError(error, 'Forbidden') || isApiError(error, 'Invalid');
      if (action.do === 'enlargeVolume' && isRefusal) return error.message;
      throw error;
    }
  }

  async #perform(observed: ObservedCluster, action: Action, signal: AbortSignal): Promise<void> {
    const { cluster, set, template, etcd } = observed;
    const { statefulSets, volumes } = this.#managers;
    const options = { signal, timeoutMs: this.#options.callTimeoutMs };
    switch (action.do) {
      case 'applyObjects':
        for (const object of observed.stale) await object.apply();
        return;
      case 'certificates':
        return this.#issue(cluster, observed.security, action.step);
      case 'createSet':
        return statefulSets.create(cluster, template, action.start, action.replicas);
      case 'setRange':
        return set && statefulSets.setRange(set, action.start, action.replicas);
      case 'deleteSet':
        return set && statefulSets.delete(set);
      case 'deletePod':
        return volumes.deletePod(cluster, action.slot, action.uid);
      case 'deleteVolume':
        return volumes.delete(cluster, action.slot, action.uid);
      case 'enlargeVolume':
        return volumes.enlarge(cluster, action.slot, action.uid);
      case 'removeFinalizer':
        return this.#managers.secrets.release(cluster);
      case 'addLearner':
        await etcd.addLearner(voterOf(observed), action.peerURL, options);
        return;
      case 'promote':
        return etcd.promote(voterOf(observed), action.memberId, options);
      case 'removeMember':
        return etcd.remove(voterOf(observed, action.memberId), action.memberId, options);
      case 'moveLeader':
        return etcd.moveLeader(voterOf(observed), action.memberId, options);
      case 'compact': {
        const endpoint = observed.endpoints.get(action.slot);
        return endpoint && etcd.compact(endpoint, action.revision, options);
      }
      case 'disarm':
        return etcd.disarm(voterOf(observed), action.alarm, options);
      case 'defragment': {
        const endpoint = observed.endpoints.get(action.slot);
        // It blocks the member, for longer than any other call.
        return endpoint && etcd.defragment(endpoint, { signal, timeoutMs: defragmentMs });
      }
      default:
    }
  }

  /** After a recovery: the permission was for one. */
  async removeRecoveryAnnotation({ metadata }: EtcdCluster): Promise<void> {
    const { name, namespace = '', uid } = metadata;
    const patch = { metadata: { annotations: { [annotations.recoverQuorumFrom]: null } } };
    await this.#managers.client.patch(EtcdClusterKind, namespace, name, patch, { uid });
  }
}

const defragmentMs = 60_000;

/** The leader, or another voter that serves. Not the member that is removed, if there is another one. */
function voterOf({ input: { facts }, endpoints }: ObservedCluster, except?: string): EtcdEndpoint {
  const serving = facts.slots.filter((slot) => isServing(slot) && slot.member?.id !== except);
  const leader = serving.find(({ member }) => member?.id === facts.membership?.leaderId);
  const chosen = leader ?? serving[0] ?? facts.slots.find(isServing);
  const endpoint = chosen && endpoints.get(chosen.index);
  if (endpoint === undefined) throw new RangeError('no member serves');
  return endpoint;
}

/** The keys of a restored member are counted once, when it serves. */
function countAt({ restore: current }: Recorded, { restore }: Wanted): Partial<MembersOptions> {
  const isStarting = current?.phase === 'Starting' && current.uid === restore?.uid && current.revision === undefined;
  if (!isStarting || restore.revision === undefined) return {};
  return { countAt: { slot: current.slot, revision: BigInt(restore.revision) } };
}
