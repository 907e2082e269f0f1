/** The template of the pods, and its hash: pods with another hash have to be restarted. */
import { createHash } from 'node:crypto';
import type { StatefulSet } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { imageTag, parseVersion } from '../apis/version.ts';
import {
  annotations,
  DATA_VOLUME,
  ETCD_CONTAINER,
  labels,
  labelsOf,
  names,
  paths,
  ports,
  selectorOf,
} from '../apis/well-known.ts';
import { tlsOf } from './cluster.ts';
import { memberConfig } from './config-map.ts';
import { renderConfig } from './etcd-config.ts';

export type PodTemplate = InputOf<typeof StatefulSet>['spec']['template'];

const gracePeriodSeconds = 60;
/** Of the user that etcd runs as: not root. */
const userId = 10_001;

export class ResourceTemplateManager {
  /** `trust` is the bundle of authorities: members read it only at start, so a change restarts them. */
  render(
    cluster: EtcdCluster,
    version: string,
    trust: string,
  ): { readonly template: PodTemplate; readonly hash: string } {
    const template = podTemplate(cluster, version);
    // The configuration of a settled member is the same for every slot, up to its name.
    const config = renderConfig(memberConfig(cluster, 0, version), { role: 'settled' });
    const hash = createHash('sha256')
      .update(JSON.stringify([template, config, trust]))
      .digest('hex')
      .slice(0, 16);
    const metadata = {
      ...template.metadata,
      annotations: { ...template.metadata?.annotations, [annotations.templateHash]: hash },
    };
    return { template: { ...template, metadata }, hash };
  }
}

function podTemplate(cluster: EtcdCluster, version: string): PodTemplate {
  const { name } = cluster.metadata;
  const { spec } = cluster;
  const own = spec.podTemplate;
  const added = own?.spec ?? {};
  const affinity = spec.affinity ?? added.affinity ?? spread(name);
  const constraints = spec.topologySpreadConstraints ?? added.topologySpreadConstraints;
  return {
    metadata: {
      labels: { ...own?.metadata?.labels, ...labelsOf(name), [labels.component]: 'etcd' },
      ...(own?.metadata?.annotations ? { annotations: own.metadata.annotations } : {}),
    },
    spec: {
      containers: [container(cluster, version)],
      volumes: volumes(cluster),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: added.terminationGracePeriodSeconds ?? gracePeriodSeconds,
      // Variables of Services would be taken for settings: they start with ETCD_ if the cluster is called etcd.
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: added.securityContext ?? {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      affinity,
      ...(constraints ? { topologySpreadConstraints: constraints } : {}),
      ...(added.nodeSelector ? { nodeSelector: added.nodeSelector } : {}),
      ...(added.tolerations ? { tolerations: added.tolerations } : {}),
      ...(added.priorityClassName ? { priorityClassName: added.priorityClassName } : {}),
      ...(added.serviceAccountName ? { serviceAccountName: added.serviceAccountName } : {}),
      ...(added.imagePullSecrets ? { imagePullSecrets: added.imagePullSecrets } : {}),
    },
  };
}

function container(cluster: EtcdCluster, version: string): PodTemplate['spec']['containers'][number] {
  const { spec } = cluster;
  const tls = tlsOf(cluster);
  const { caSecret } = spec.security.tls;
  return {
    name: ETCD_CONTAINER,
    image: `${spec.repository}:${imageTag(version)}`,
    command: ['/usr/local/bin/etcd', `--config-file=${paths.config}/$(POD_NAME).yaml`],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ports: [
      { name: 'client', containerPort: ports.client },
      { name: 'peer', containerPort: ports.peer },
      { name: 'metrics', containerPort: ports.metrics },
    ],
    resources: spec.resources ?? { requests: { cpu: '100m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: DATA_VOLUME, mountPath: paths.volume },
      { name: 'config', mountPath: paths.config, readOnly: true },
      ...(tls.client ? [{ name: 'server-tls', mountPath: paths.serverTls, readOnly: true }] : []),
      ...(tls.peer ? [{ name: 'peer-tls', mountPath: paths.peerTls, readOnly: true }] : []),
      ...(caSecret === undefined ? [] : [{ name: 'ca-tls', mountPath: paths.caTls, readOnly: true }]),
    ],
    // A member reads its whole log at start, which takes minutes for a large one.
    startupProbe: { ...livenessCheck(version), periodSeconds: 1, failureThreshold: 600 },
    livenessProbe: { ...livenessCheck(version), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    // Linearizable, so that a member without a quorum gets no clients. Alarms are not a reason to take all of them away.
    readinessProbe: {
      httpGet: { path: '/health?exclude=NOSPACE', port: ports.metrics },
      periodSeconds: 1,
      failureThreshold: 5,
      timeoutSeconds: 5,
    },
  };
}

/** Without a quorum a restart does not help, so liveness does not ask for one. */
function livenessCheck(text: string) {
  const version = parseVersion(text);
  const hasLivez = version !== undefined && (version.minor > 5 || (version.minor === 5 && version.patch >= 11));
  return hasLivez ? { httpGet: { path: '/livez', port: ports.metrics } } : { tcpSocket: { port: ports.peer } };
}

function volumes(cluster: EtcdCluster): NonNullable<PodTemplate['spec']['volumes']> {
  const { name } = cluster.metadata;
  const tls = tlsOf(cluster);
  const { autoTLS, certificateSecret = '', caSecret } = cluster.spec.security.tls;
  const secret = (own: string) => ({ secret: { secretName: autoTLS ? own : certificateSecret, defaultMode: 0o440 } });
  return [
    { name: 'config', configMap: { name: names.configMap(name) } },
    ...(tls.client ? [{ name: 'server-tls', ...secret(names.serverSecret(name)) }] : []),
    ...(tls.peer ? [{ name: 'peer-tls', ...secret(names.peerSecret(name)) }] : []),
    ...(caSecret === undefined ? [] : [{ name: 'ca-tls', secret: { secretName: caSecret, defaultMode: 0o440 } }]),
  ];
}

/** On different nodes and in different zones, if there are as many. */
function spread(name: string) {
  const term = (topologyKey: string, weight: number) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: selectorOf(name) } },
  });
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        term('kubernetes.io/hostname', 100),
        term('topology.kubernetes.io/zone', 50),
      ],
    },
  };
}
