import { expect, it } from 'vitest';
import { createCluster, withoutTls } from './cluster.kit.ts';
import { clientEndpoint, clusterNames, endpointOf } from './cluster.ts';

it('members are reached by the names in their certificates, at the addresses of their pods', async () => {
  const cluster = await createCluster();
  expect(endpointOf(cluster, 1, '10.0.0.7')).toEqual({
    host: 'main-1.main-peer.default.svc',
    address: '10.0.0.7',
    port: 2379,
  });
  expect(clientEndpoint(cluster)).toBe('https://main-client.default.svc:2379');
  expect(clientEndpoint(await createCluster(withoutTls))).toBe('http://main-client.default.svc:2379');
});

it('names tell the slot of pods, claims and peer URLs', async () => {
  const names = clusterNames(await createCluster());
  expect([names.slotOfPod('main-2'), names.slotOfPod('main-x'), names.slotOfPod('other-2')]).toEqual([
    2,
    undefined,
    undefined,
  ]);
  expect([names.slotOfClaim('data-main-2'), names.slotOfClaim('main-2')]).toEqual([2, undefined]);
  expect(names.podName(3)).toBe('main-3');
  expect(names.slotOfPeerURL(names.peerURL(4))).toBe(4);
});

it.each([
  ['https://main-1.main-peer.default.svc:2380', 1],
  // A cluster whose TLS was set up by hand is still this cluster.
  ['http://main-1.main-peer.default.svc:2380', 1],
  ['https://main-1.main-peer.other.svc:2380', undefined],
  ['https://10.0.0.1:2380', undefined],
  ['nonsense', undefined],
])('the peer URL %s is that of slot %s', async (url, slot) => {
  expect(clusterNames(await createCluster()).slotOfPeerURL(url)).toBe(slot);
});
