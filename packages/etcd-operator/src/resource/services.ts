/** The Services: one for clients, and a headless one that gives the members their names. */
import type { Service } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { names, ports, selectorOf } from '../apis/well-known.ts';
import { metadataOf } from './cluster.ts';

const client = { name: 'client', port: ports.client, targetPort: ports.client, protocol: 'TCP' } as const;
const peer = { name: 'peer', port: ports.peer, targetPort: ports.peer, protocol: 'TCP' } as const;

export class ServiceManager {
  render(cluster: EtcdCluster): readonly InputOf<typeof Service>[] {
    const { name } = cluster.metadata;
    const selector = selectorOf(name);
    return [
      {
        metadata: metadataOf(cluster, names.peerService(name)),
        // Members find each other before they are ready, and become ready only by finding each other.
        spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector, ports: [client, peer] },
      },
      {
        metadata: metadataOf(cluster, names.clientService(name)),
        spec: { type: 'ClusterIP', selector, ports: [client] },
      },
    ];
  }
}
