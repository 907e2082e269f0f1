/** The ConfigMap with the configuration of each slot. */
import { ConfigMap } from '@ecsm/apiserver';
import { parseQuantity } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { optionValue } from '../apis/etcd-options.ts';
import { names } from '../apis/well-known.ts';
import { clientURL, metadataOf, peerURL, tlsOf, tokenOf } from './cluster.ts';
import { type MemberConfig, renderConfig, type SlotConfig } from './etcd-config.ts';

/** The quota that etcd has if none is set. */
const quotaBytesDefault = 2 * 1024 ** 3;

export class ConfigMapManager {
  /** `kept` are the configurations of other slots, which stay as they are. */
  render(
    cluster: EtcdCluster,
    version: string,
    slots: ReadonlyMap<number, SlotConfig>,
    kept: Readonly<Record<string, string>> = {},
  ): InputOf<typeof ConfigMap> {
    const { name } = cluster.metadata;
    const data = Object.fromEntries(
      [...slots].map(([slot, config]) => [
        names.configKey(name, slot),
        renderConfig(memberConfig(cluster, slot, version), config),
      ]),
    );
    return ConfigMap.input(metadataOf(cluster, names.configMap(name)), { data: { ...kept, ...data } });
  }
}

export function memberConfig(cluster: EtcdCluster, slot: number, version: string): MemberConfig {
  const { etcd } = cluster.spec;
  const tls = tlsOf(cluster);
  return {
    podName: names.pod(cluster.metadata.name, slot),
    peerURL: peerURL(cluster, slot),
    clientURL: clientURL(cluster, slot),
    token: tokenOf(cluster),
    version,
    hasClientTls: tls.client,
    hasPeerTls: tls.peer,
    hasCaDirectory: cluster.spec.security.tls.caSecret !== undefined,
    quotaBytes: quotaOf(cluster),
    autoCompactionMode: etcd.autoCompactionMode,
    ...(etcd.autoCompactionRetention === undefined ? {} : { autoCompactionRetention: etcd.autoCompactionRetention }),
    options: Object.fromEntries(
      Object.entries(etcd.options ?? {}).map(([name, value]) => [name, optionValue(name, value)]),
    ),
  };
}

export function quotaOf({ spec: { etcd } }: EtcdCluster): number {
  const quota = etcd.quotaBackendBytes === undefined ? undefined : parseQuantity(etcd.quotaBackendBytes);
  return quota ?? quotaBytesDefault;
}
