import { ConfigMap } from '@ecsm/apiserver';
import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { createCluster, withoutTls } from './cluster.kit.ts';
import { ConfigMapManager, quotaOf } from './config-map.ts';
import type { SlotConfig } from './etcd-config.ts';

async function configOf(slot: SlotConfig, spec: EtcdClusterInput['spec'] = {}, version = '3.5.21') {
  const cluster = await createCluster(spec);
  const map = new ConfigMapManager().render(cluster, version, new Map([[1, slot]]));
  const { data = {} } = ConfigMap.fieldsOf(ConfigMap.default(map));
  expect(Object.keys(data)).toEqual(['main-1.yaml']);
  return { uid: cluster.metadata.uid, ...JSON.parse(data['main-1.yaml'] ?? '') };
}

const own = 'main-1=https://main-1.main-peer.default.svc:2380';

describe('the configuration of a member', () => {
  it('names its addresses, its data and the token of this cluster', async () => {
    const { uid, ...config } = await configOf({ role: 'settled' });
    expect(config).toMatchObject({
      name: 'main-1',
      'data-dir': '/var/lib/etcd/data',
      'listen-peer-urls': 'https://0.0.0.0:2380',
      'listen-client-urls': 'https://0.0.0.0:2379',
      'listen-metrics-urls': 'http://0.0.0.0:2381',
      'initial-advertise-peer-urls': 'https://main-1.main-peer.default.svc:2380',
      'advertise-client-urls': 'https://main-1.main-peer.default.svc:2379',
      'initial-cluster-token': `default-main-${uid}`,
      'enable-grpc-gateway': true,
      'strict-reconfig-check': true,
    });
  });

  const others = `${own},main-0=https://main-0.main-peer.default.svc:2380`;
  it.each<[SlotConfig, string, string, unknown]>([
    [{ role: 'first' }, own, 'new', undefined],
    [{ role: 'joining', initialCluster: others }, others, 'existing', undefined],
    [{ role: 'settled' }, own, 'existing', undefined],
    [{ role: 'survivor' }, own, 'existing', true],
  ])('$role: it starts with the peers %s, %s', async (slot, peers, state, force) => {
    const config = await configOf(slot);
    expect([config['initial-cluster'], config['initial-cluster-state'], config['force-new-cluster']]).toEqual([
      peers,
      state,
      force,
    ]);
  });

  it('requires certificates of clients and of peers', async () => {
    const files = (directory: string) => ({
      'cert-file': `${directory}/tls.crt`,
      'key-file': `${directory}/tls.key`,
      'trusted-ca-file': `${directory}/ca.crt`,
      'client-cert-auth': true,
    });
    expect(await configOf({ role: 'settled' })).toMatchObject({
      'client-transport-security': files('/etc/etcd/tls/server'),
      'peer-transport-security': files('/etc/etcd/tls/peer'),
    });
  });

  it('has no certificates without TLS', async () => {
    const config = await configOf({ role: 'settled' }, withoutTls);
    expect(config).toMatchObject({
      'listen-peer-urls': 'http://0.0.0.0:2380',
      'advertise-client-urls': 'http://main-1.main-peer.default.svc:2379',
    });
    expect(Object.keys(config).filter((key) => key.includes('security'))).toEqual([]);
  });

  it('has quota and compaction of the spec', async () => {
    const etcd = { quotaBackendBytes: '4Gi', autoCompactionMode: 'revision', autoCompactionRetention: '1000' } as const;
    expect(await configOf({ role: 'settled' }, { etcd })).toMatchObject({
      'quota-backend-bytes': 4 * 1024 ** 3,
      'auto-compaction-mode': 'revision',
      'auto-compaction-retention': '1000',
    });
    expect(quotaOf(await createCluster())).toBe(2 * 1024 ** 3);
  });

  // etcd refuses a config file with a number or a boolean in quotes, and all members would stop.
  it('has the settings of the spec in the types that etcd reads', async () => {
    const options = {
      'heartbeat-interval': '250',
      'election-timeout': 2500,
      'pre-vote': 'false',
      'grpc-keepalive-interval': '10s',
      'log-level': 'warn',
    };
    expect(await configOf({ role: 'settled' }, { etcd: { options } })).toMatchObject({
      'heartbeat-interval': 250,
      'election-timeout': 2500,
      'pre-vote': false,
      'grpc-keepalive-interval': 10_000_000_000,
      'log-level': 'warn',
    });
  });

  it('checks for corruption by the names that its version knows', async () => {
    expect(await configOf({ role: 'settled' }, {}, '3.5.21')).toMatchObject({
      'experimental-initial-corrupt-check': true,
      'experimental-compact-hash-check-enabled': true,
    });
    expect(await configOf({ role: 'settled' }, {}, '3.6.0')).toMatchObject({
      'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true',
    });
  });
});
