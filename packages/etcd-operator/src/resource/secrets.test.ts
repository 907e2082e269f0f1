import { Secret } from '@ecsm/apiserver';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { createCluster, memoryRegistry, ToyIssuer, withoutTls } from './cluster.kit.ts';
import { Managers } from './managers.ts';
import { leafTemplates } from './secrets.ts';
import { afterStep, type TlsMaterial, type TlsStep } from './tls-material.ts';

async function start(spec: EtcdClusterInput['spec'] = {}) {
  const clock = new VirtualClock();
  const registry = memoryRegistry(clock);
  const cluster = await createCluster(spec, { registry });
  const { secrets } = new Managers(registry);
  const issuer = new ToyIssuer(clock);
  const observe = () => secrets.observe(cluster);
  const material = async () => (await observe()).material;
  const step = async (next: TlsStep): Promise<TlsMaterial> => {
    const before = await observe();
    const after = afterStep(issuer, before.material, next, leafTemplates(cluster), clock.now());
    await secrets.write(cluster, before, after);
    return after;
  };
  return { registry, cluster, secrets, observe, material, step };
}

describe('the Secrets of a cluster', () => {
  it('are not there at first', async () => {
    const { cluster, secrets } = await start();
    const nothing = { is: 'automatic', material: { leaves: {} }, stored: undefined, foreign: [] };
    expect(await secrets.read(cluster)).toEqual(nothing);
  });

  it('hold all material, in every state of a change of the authority', async () => {
    const { material, step } = await start();
    const steps: readonly TlsStep[] = [
      'CreateAuthority',
      'RenewLeaves',
      'IntroduceAuthority',
      'RenewLeaves',
      'SwitchAuthority',
      'RenewLeaves',
      'RetireAuthority',
      'RenewLeaves',
    ];
    for (const next of steps) expect(await step(next), next).toEqual(await material());
  });

  it('have the type and the keys that Kubernetes expects of certificates', async () => {
    const { registry, step } = await start();
    await step('CreateAuthority');
    await step('RenewLeaves');
    const { items } = await registry.resource(Secret).list();
    expect(
      items.map((secret) => {
        const { type, data = {} } = Secret.fieldsOf(secret);
        return `${secret.metadata.name} ${type} ${Object.keys(data).sort().join()}`;
      }),
    ).toEqual([
      'main-ca Opaque ca.crt,ca.key',
      'main-client-tls kubernetes.io/tls ca.crt,tls.crt,tls.key',
      'main-peer-tls kubernetes.io/tls ca.crt,tls.crt,tls.key',
      'main-server-tls kubernetes.io/tls ca.crt,tls.crt,tls.key',
    ]);
  });

  it('are not written again without a difference', async () => {
    const { registry, cluster, secrets, observe, step } = await start();
    await step('CreateAuthority');
    await step('RenewLeaves');
    const versions = async () =>
      (await registry.resource(Secret).list()).items.map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    const same = await observe();
    await secrets.write(cluster, same, same.material);
    expect(await versions()).toEqual(before);
  });

  it('keep an authority that a stale read did not see: members did not trust the certificates of the new one', async () => {
    const { cluster, secrets, observe, material, step } = await start();
    const stale = await observe();
    const { authority } = await step('CreateAuthority');
    const other = await start();
    const after = await other.step('CreateAuthority');
    await expect(secrets.write(cluster, stale, after)).rejects.toMatchObject({ code: 'Conflict' });
    expect((await material()).authority).toEqual(authority);
  });

  it('count as missing if a key of them is, and an authority without a certificate', async () => {
    const { registry, material, step } = await start();
    await step('CreateAuthority');
    await step('RenewLeaves');
    await registry.resource(Secret).patch('main-server-tls', { data: { 'ca.crt': null } });
    await registry.resource(Secret).patch('main-ca', { data: { 'ca.key': null } });
    const { authority, leaves } = await material();
    expect(authority?.current.key).toBe('');
    expect(Object.keys(leaves)).toEqual(['peer', 'client']);
    await registry.resource(Secret).patch('main-ca', { data: { 'ca.crt': null } });
    expect((await material()).authority).toBeUndefined();
  });

  it('have no keys that were left by others in that of the authority', async () => {
    const { registry, material, step } = await start();
    await step('CreateAuthority');
    const patch = { metadata: { labels: null }, data: { 'next.crt': 'eA==', 'next.key': 'eA==', other: 'eA==' } };
    await registry.resource(Secret).patch('main-ca', patch);
    const { authority } = await step('RetireAuthority');
    expect((await material()).authority).toEqual(authority);
    const { metadata, ...secret } = await registry.resource(Secret).get('main-ca');
    expect(Object.keys(Secret.fieldsOf({ ...secret, metadata }).data ?? {})).toEqual(['ca.crt', 'ca.key']);
    expect(metadata.labels).toMatchObject({ 'etcd.ecsm.sh/cluster': 'main' });
  });

  it('are foreign if they were not created for this cluster', async () => {
    const { registry, cluster, secrets, step } = await start();
    await step('CreateAuthority');
    await registry.resource(Secret).create(Secret.input({ name: 'main-peer-tls' }, {}));
    expect((await secrets.observe(cluster)).foreign).toEqual(['Secret/main-peer-tls']);
  });
});

describe('the certificates of a cluster', () => {
  const namesOf = async (spec: EtcdClusterInput['spec'] = {}) => {
    const templates = leafTemplates(await createCluster(spec));
    return Object.fromEntries(Object.entries(templates).map(([leaf, { names }]) => [leaf, names]));
  };

  it('are for the names of members and Services, with and without the domain of the cluster', async () => {
    const { server, peer, client } = await namesOf({ clusterDomain: 'example' });
    const members = ['*.main-peer.default.svc', '*.main-peer.default.svc.example'];
    expect(server).toEqual([
      ...members,
      'main-peer.default.svc',
      'main-peer.default.svc.example',
      'main-client.default.svc',
      'main-client.default.svc.example',
      'localhost',
      '127.0.0.1',
    ]);
    expect(peer).toEqual([...members, 'localhost', '127.0.0.1']);
    expect(client).toEqual([]);
  });

  it('are those that TLS is enabled for', async () => {
    expect(Object.keys(await namesOf({ security: { tls: { clientTLSEnabled: false } } }))).toEqual(['peer']);
    expect(Object.keys(await namesOf({ security: { tls: { peerTLSEnabled: false } } }))).toEqual(['server', 'client']);
    expect(await namesOf(withoutTls)).toEqual({});
  });
});
