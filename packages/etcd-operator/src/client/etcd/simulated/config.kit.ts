/** Reads a configuration file of etcd, as the operator writes it, into the options of a simulated process. */
import { shape } from '@ecsm/runtime';
import type { SimulatedEtcdOptions } from './model.kit.ts';

const fileShape = shape.object({
  name: shape.string(),
  'initial-advertise-peer-urls': shape.string(),
  'advertise-client-urls': shape.string(),
  'initial-cluster': shape.string(),
  'initial-cluster-state': shape.exactly('new', 'existing'),
  'initial-cluster-token': shape.string(),
  'force-new-cluster': shape.optional(shape.boolean()),
  'quota-backend-bytes': shape.optional(shape.integer()),
});

type ConfigFile = shape.Shaped<typeof fileShape>;

/** Throws for a file that is not JSON or lacks a setting. */
export function readConfigFile(
  text: string,
): Omit<SimulatedEtcdOptions, 'address' | 'port' | 'version' | 'volume' | 'onExit'> {
  const value: unknown = JSON.parse(text);
  if (!isConfigFile(value)) throw new Error(shape.complaint(fileShape, value, 'the configuration'));
  return {
    name: value.name,
    peerURL: value['initial-advertise-peer-urls'],
    clientURL: value['advertise-client-urls'],
    initialCluster: value['initial-cluster'].split(',').map((member) => {
      const [name = '', peerURL = ''] = member.split('=');
      return { name, peerURL };
    }),
    initialClusterState: value['initial-cluster-state'],
    initialClusterToken: value['initial-cluster-token'],
    forceNewCluster: value['force-new-cluster'] ?? false,
    ...(value['quota-backend-bytes'] === undefined ? {} : { quotaBytes: value['quota-backend-bytes'] }),
  };
}

function isConfigFile(value: unknown): value is ConfigFile {
  return shape.complaint(fileShape, value, '') === undefined;
}
