/** The gateway with real servers of several releases. */
import { Authority, generateAuthority } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdRelease, etcdBinaries, skipWithoutRelease } from './binaries.kit.ts';
import { describeEtcd } from './etcd.suite.ts';
import { connectGateway, connectGrpc } from './gateway.ts';
import { RealEtcd } from './real.kit.ts';
import { eventually, outcome, type SuiteCluster } from './suite.kit.ts';

const connect = connectGateway(systemClock);

function create(
  release: EtcdRelease,
  tls: boolean,
  options: { readonly quotaBytes?: number },
  connectTo = connect,
): SuiteCluster {
  const servers = new RealEtcd({ release, tls, ...options });
  const client = connectTo(servers.credentials);
  return {
    client,
    endpoint: (slot) => servers.endpoint(slot),
    peerURL: (slot) => servers.peerURL(slot),
    start: (slot, start) => servers.start(slot, start),
    restart: (slot) => servers.restart(slot),
    stop: (slot) => servers.stop(slot),
    freeze: (slot, isFrozen) => servers.freeze(slot, isFrozen),
    wipe: (slot) => servers.wipe(slot),
    isRunning: (slot) => servers.isRunning(slot),
    async close() {
      client.close();
      await servers.close();
    },
  };
}

const releases: readonly (readonly [EtcdRelease, boolean])[] = [
  ['3.4', false],
  ['3.5', true],
  ['3.6', true],
];
for (const [release, tls] of releases) {
  const found = etcdBinaries(release);
  const version = found.directory === undefined ? release : found.version;
  describe.skipIf(skipWithoutRelease(release))(`the gateway of etcd ${release}${tls ? ' with TLS' : ''}`, () => {
    describeEtcd({ name: `etcd ${version}`, version, create: (options) => create(release, tls, options) });
  });
}

describe.skipIf(skipWithoutRelease('3.5'))('the gRPC API of etcd 3.5, on one connection to each member', () => {
  const found = etcdBinaries('3.5');
  const version = found.directory === undefined ? '3.5' : found.version;
  const connectTo = connectGrpc(systemClock);
  describeEtcd({ name: `etcd ${version}`, version, create: (options) => create('3.5', true, options, connectTo) });
});

describe.skipIf(skipWithoutRelease('3.5'))('a client with TLS', () => {
  let servers: RealEtcd;
  beforeAll(async () => {
    servers = new RealEtcd({ release: '3.5', tls: true });
    servers.start(0, { state: 'new', slots: [0] });
    const client = connect(servers.credentials);
    await eventually(() => client.status(servers.endpoint(0)));
    client.close();
  });
  afterAll(() => servers.close());

  it('is denied with a certificate of another authority', async () => {
    const other = new Authority(generateAuthority(systemClock), systemClock);
    const client = connect(servers.credentialsOf(other));
    expect(await outcome(client.status(servers.endpoint(0)))).toBe('Denied');
    expect(await outcome(client.snapshot(servers.endpoint(0)))).toBe('Denied');
    client.close();
  });

  it('denies a server with another name, or of another authority', async () => {
    const client = connect(servers.credentials);
    expect(await outcome(client.status({ ...servers.endpoint(0), host: 'etcd.example.test' }))).toBe('Denied');
    expect(await outcome(client.snapshot({ ...servers.endpoint(0), host: 'etcd.example.test' }))).toBe('Denied');
    client.close();
    const other = new Authority(generateAuthority(systemClock), systemClock);
    const credentials = servers.credentialsOf(other);
    const stranger = connect({ ...credentials, ca: other.certificatePem });
    expect(await outcome(stranger.status(servers.endpoint(0)))).toBe('Denied');
    stranger.close();
  });

  it('fails calls in flight and later ones when it is closed', async () => {
    const client = connect(servers.credentials);
    servers.freeze(0, true);
    const waiting = [outcome(client.status(servers.endpoint(0))), outcome(client.snapshot(servers.endpoint(0)))];
    client.close();
    expect(await Promise.all(waiting)).toEqual(['Unavailable', 'Unavailable']);
    servers.freeze(0, false);
    expect(await outcome(client.status(servers.endpoint(0)))).toBe('Unavailable');
  });

  it('is not served without TLS', async () => {
    const plain = connect(undefined);
    expect(await outcome(plain.status(servers.endpoint(0)))).toBe('Unavailable');
    expect(await outcome(plain.snapshot(servers.endpoint(0)))).toBe('Unavailable');
    plain.close();
  });

  it('gets a snapshot in pieces while it changes, and stops when it is not read', async () => {
    const client = connect(servers.credentials);
    const endpoint = servers.endpoint(0);
    const value = 'x'.repeat(1_000_000);
    for (let count = 0; count < 12; count++) await client.put(endpoint, `large-${count}`, value);
    const { sizeBytes, chunks } = await client.snapshot(endpoint);
    let readBytes = 0;
    for await (const chunk of chunks) {
      readBytes += chunk.byteLength;
      if (readBytes === chunk.byteLength) await client.put(endpoint, 'meanwhile', value);
    }
    expect(readBytes).toBe(sizeBytes);
    expect(sizeBytes).toBeGreaterThan(12_000_000);
    for await (const chunk of (await client.snapshot(endpoint)).chunks) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    client.close();
  });

  it('reports a member that dies or freezes while a snapshot is read', async () => {
    const client = connect(servers.credentials);
    const endpoint = servers.endpoint(0);
    const readAll = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const _ of chunks);
    };
    const frozen = await client.snapshot(endpoint, { idleTimeoutMs: 300 });
    servers.freeze(0, true);
    expect(await outcome(readAll(frozen.chunks))).toBe('Timeout');
    servers.freeze(0, false);
    const cut = await client.snapshot(endpoint);
    await servers.stop(0);
    expect(await outcome(readAll(cut.chunks))).toBe('Unavailable');
    servers.restart(0);
    await eventually(() => client.status(endpoint, { timeoutMs: 1_000 }));
    const abort = new AbortController();
    const aborted = await client.snapshot(endpoint, { signal: abort.signal });
    abort.abort();
    expect(await outcome(readAll(aborted.chunks))).toBe('Unavailable');
    client.close();
  });
});
