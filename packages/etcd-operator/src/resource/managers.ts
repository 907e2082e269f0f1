/** The managers of the objects of a cluster, on one registry. */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod, PodDisruptionBudget, Service, StatefulSet } from '@ecsm/kubernetes';
import type { ApiObject, Kind, ObjectInput, Registry } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { names } from '../apis/well-known.ts';
import { KubernetesClient } from '../client/kubernetes/client.ts';
import type { CheckedObjects } from './checked-objects.ts';
import { mayChange } from './cluster.ts';
import { ConfigMapManager } from './config-map.ts';
import { covers, isSameField, withoutOthers } from './covers.ts';
import { PodDisruptionBudgetManager } from './disruption-budget.ts';
import type { SlotConfig } from './etcd-config.ts';
import { SecretManager } from './secrets.ts';
import { ServiceManager } from './services.ts';
import { StatefulSetManager } from './stateful-set.ts';
import { ResourceTemplateManager } from './template.ts';
import { PVCManager } from './volumes.ts';

/** The kinds of the objects of a cluster. */
export const managedKinds: readonly Kind[] = [
  StatefulSet,
  Pod,
  PersistentVolumeClaim,
  Service,
  ConfigMap,
  Secret,
  PodDisruptionBudget,
];

/** An object that is missing or differs from what it should be, and how it is written. */
export interface StaleObject {
  /** Such as `Service/main-client`. */
  readonly name: string;
  /** Whether it belongs to something else: then it must not be written. */
  readonly isForeign: boolean;
  apply(): Promise<void>;
}

export interface ObjectsWanted {
  readonly version: string;
  readonly slots: ReadonlyMap<number, SlotConfig>;
  /** Whether other slots must have no configuration. */
  readonly isComplete: boolean;
  readonly minAvailable: number;
}

export class Managers {
  readonly client: KubernetesClient;
  readonly statefulSets: StatefulSetManager;
  readonly volumes: PVCManager;
  readonly secrets: SecretManager;
  readonly templates = new ResourceTemplateManager();
  readonly #services = new ServiceManager();
  readonly #configMaps = new ConfigMapManager();
  readonly #budgets = new PodDisruptionBudgetManager();

  constructor(registry: Registry) {
    this.client = new KubernetesClient(registry);
    this.statefulSets = new StatefulSetManager(this.client);
    this.volumes = new PVCManager(this.client);
    this.secrets = new SecretManager(this.client);
  }

  /** Objects that start and stop nothing: Services, the configuration, the disruption budget. */
  async stale(
    cluster: EtcdCluster,
    { version, slots, isComplete, minAvailable }: ObjectsWanted,
    checked?: CheckedObjects,
  ): Promise<readonly StaleObject[]> {
    const config = await this.#configMap(cluster, version, slots, isComplete);
    const [others, configs] = await Promise.all([
      this.#staleOthers(cluster, minAvailable, checked),
      this.#compare(cluster, ConfigMap, config, ['data']),
    ]);
    return [...others, ...configs];
  }

  /** Services and the disruption budget: not read if they were found right a short time ago. */
  async #staleOthers(cluster: EtcdCluster, minAvailable: number, checked?: CheckedObjects): Promise<StaleObject[]> {
    const services = this.#services.render(cluster);
    const budget = this.#budgets.render(cluster, minAvailable);
    const text = JSON.stringify([services, budget]);
    if (checked?.has(text)) return [];
    const found = await Promise.all([
      ...services.map((service) => this.#compare(cluster, Service, service)),
      this.#compare(cluster, PodDisruptionBudget, budget),
    ]);
    const stale = found.flat();
    if (stale.length === 0) checked?.add(text);
    return stale;
  }

  async #configMap(cluster: EtcdCluster, version: string, slots: ReadonlyMap<number, SlotConfig>, isComplete: boolean) {
    const { name, namespace = '' } = cluster.metadata;
    const live = isComplete ? undefined : await this.client.find(ConfigMap, namespace, names.configMap(name));
    return this.#configMaps.render(cluster, version, slots, live && ConfigMap.fieldsOf(live).data);
  }

  /** Fields in `whole` are compared with everything in them: a key that is not wanted has to go. */
  async #compare<Spec, Status, SpecInput, StatusInput>(
    cluster: EtcdCluster,
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
    wanted: ObjectInput<SpecInput, StatusInput>,
    whole: readonly string[] = [],
  ): Promise<readonly StaleObject[]> {
    const { name = '', namespace = '' } = wanted.metadata;
    const live: ApiObject<Spec, Status> | undefined = await this.client.find(kind, namespace, name);
    if (live && covers(live, wanted) && whole.every((field) => isSameField(live, wanted, field))) return [];
    const isForeign = live !== undefined && !mayChange(cluster, live.metadata);
    const apply = async () => {
      await this.client.apply(kind, wanted);
      // An apply keeps keys that others have written, as after a restore from a backup.
      const patch = live && withoutOthers(live, wanted, whole);
      if (patch) await this.client.patch(kind, namespace, name, patch, { uid: live.metadata.uid });
    };
    return [{ name: `${kind.kind}/${name}`, isForeign, apply }];
  }
}
