/** Goal: a cluster of real etcd processes runs with certificates of the user, and says what is wrong with them. */
import { Authority, generateAuthority, Secret } from '@ecsm/apiserver';
import { findCondition, systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { World } from './world.kit.ts';

const timeoutMs = 600_000;
const dayMs = 86_400_000;
const names = ['*.main-peer.default.svc', 'main-client.default.svc', 'localhost', '127.0.0.1'];
const yearAgo = { ...systemClock, now: () => systemClock.now() - 365 * dayMs };

describe.skipIf(skipWithoutRelease('3.5'))('certificates of the user', () => {
  let world: World;
  const pair = generateAuthority(yearAgo);
  const issue = (hosts = names, clock = systemClock) =>
    new Authority(pair, clock).issue({ subject: { commonName: 'mine' }, use: 'peer', names: hosts }, dayMs);

  beforeAll(async () => {
    world = await World.start();
  }, timeoutMs);
  afterAll(() => world?.stop(), timeoutMs);

  const write = async (name: string, values: Readonly<Record<string, string>>) => {
    const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    await world.registry
      .resource(Secret)
      .apply(Secret.input({ name }, { data: Object.fromEntries(encoded) }), { manager: 'user', force: true });
  };
  const certificate = ({ certificatePem, keyPem }: ReturnType<typeof issue>) =>
    write('mine', { 'tls.crt': certificatePem, 'tls.key': keyPem });
  const refusal = async (message: string) => {
    const { status } = await world.until(
      'main',
      (cluster) => findCondition(cluster.status?.conditions, 'CertificatesReady')?.message === message,
      message,
    );
    expect(findCondition(status?.conditions, 'CertificatesReady')?.reason).toBe('CertificateInvalid');
    expect(findCondition(status?.conditions, 'Degraded')?.reason).toBe('CertificateInvalid');
  };

  it('are refused with the reason until they can be used', { timeout: timeoutMs }, async () => {
    const found = etcdBinaries('3.5');
    const version = `v${found.directory === undefined ? '' : found.version}`;
    const tls = { autoTLS: false, certificateSecret: 'mine', caSecret: 'authority' };
    await world.clusters.create({ metadata: { name: 'main' }, spec: { size: 3, version, security: { tls } } });
    await refusal('the Secret mine does not exist');
    await certificate(issue());
    await refusal('there is no ca.crt in the Secret authority');
    await write('authority', { 'ca.crt': generateAuthority(systemClock).certificatePem });
    await refusal('tls.crt of mine is not issued by ca.crt');
    await write('authority', { 'ca.crt': pair.certificatePem });
    await certificate(issue(names, yearAgo));
    await refusal('tls.crt of mine has expired');
    await certificate(issue(['main.example']));
    await refusal('tls.crt of mine is not for the members: it needs the name *.main-peer.default.svc');
    expect(await world.pods('main')).toEqual([]);
  });

  it('are used by all members and by the operator, and not changed', { timeout: timeoutMs }, async () => {
    const mine = issue();
    await certificate(mine);
    const { status } = await world.settled('main');
    expect(status).toMatchObject({ phase: 'Running', readyReplicas: 3 });
    expect(findCondition(status?.conditions, 'CertificatesReady')).toMatchObject({
      status: 'True',
      reason: 'CertificatesValid',
    });
    const { items } = await world.registry.resource(Secret).list();
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['authority', 'mine']);
    const { data = {} } = Secret.fieldsOf(await world.registry.resource(Secret).get('mine'));
    expect(Buffer.from(data['tls.crt'] ?? '', 'base64').toString()).toBe(mine.certificatePem);
  });
});
