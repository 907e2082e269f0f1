import { Secret } from '@ecsm/apiserver';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../../apis/etcd-cluster.ts';
import { createCluster, memoryRegistry, ToyIssuer, withoutTls } from '../../resource/cluster.kit.ts';
import { Managers } from '../../resource/managers.ts';
import type { TlsStep } from '../../resource/tls-material.ts';
import { SecurityService } from './security.ts';

const dayMs = 86_400_000;

async function start(spec: EtcdClusterInput['spec'] = {}) {
  const clock = new VirtualClock();
  const registry = memoryRegistry(clock);
  const cluster = await createCluster(spec, { registry });
  const issuer = new ToyIssuer(clock);
  const service = new SecurityService(new Managers(registry).secrets, issuer, clock);
  const observe = () => service.observe(cluster);
  const take = async (...steps: readonly TlsStep[]) => {
    for (const step of steps) await service.perform(cluster, await observe(), step);
  };
  const secret = (name: string, data: Readonly<Record<string, string>>) => {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return registry.resource(Secret).create(Secret.input({ name }, { data: Object.fromEntries(encoded) }));
  };
  return { clock, cluster, issuer, observe, take, secret };
}

it('without TLS there are no certificates', async () => {
  const { observe } = await start(withoutTls);
  expect(await observe()).toEqual({
    facts: undefined,
    credentials: undefined,
    trust: '',
    material: { leaves: {} },
    foreign: [],
  });
});

describe('automatic certificates', () => {
  it('are due at first, and complete after an authority and leaves were issued', async () => {
    const { observe, take, issuer } = await start();
    expect(await observe()).toMatchObject({ facts: { hasAuthority: false, due: [] }, credentials: undefined });
    await take('CreateAuthority');
    const due = ['main-server-tls', 'main-peer-tls', 'main-client-tls'];
    expect((await observe()).facts).toMatchObject({ hasAuthority: true, due, rotation: 'Steady' });
    await take('RenewLeaves');
    const { facts, credentials, trust } = await observe();
    expect(facts).toMatchObject({ due: [], isAuthorityDue: false });
    expect(credentials?.ca).toBe(trust);
    expect(issuer.issued).toEqual(['authority', 'main-server', 'main-peer', 'root']);
  });

  it('expire when the first of them does', async () => {
    const { observe, take, clock } = await start();
    await take('CreateAuthority', 'RenewLeaves');
    expect((await observe()).facts?.notAfterMs).toBe(clock.now() + 90 * dayMs);
  });

  it('show how far a change of the authority is', async () => {
    const { observe, take, clock } = await start();
    await take('CreateAuthority', 'RenewLeaves');
    clock.step(700 * dayMs);
    expect((await observe()).facts).toMatchObject({ isAuthorityDue: true, rotation: 'Steady' });
    await take('IntroduceAuthority');
    expect((await observe()).facts?.rotation).toBe('Introduced');
    await take('SwitchAuthority');
    expect((await observe()).facts).toMatchObject({ rotation: 'Switched', switchedAtMs: clock.now() });
    await take('RetireAuthority');
    expect((await observe()).facts).toMatchObject({ rotation: 'Steady', isAuthorityDue: false });
  });

  it('are not written over Secrets of other owners', async () => {
    const { observe, secret } = await start();
    await secret('main-ca', {});
    expect((await observe()).foreign).toEqual(['Secret/main-ca']);
  });
});

describe('certificates of the user', () => {
  const names = ['*.main-peer.default.svc'];
  const tls = { autoTLS: false, certificateSecret: 'mine' };
  const given = async (changes: Readonly<Record<string, string>> = {}, hosts: readonly string[] = names, own = {}) => {
    const world = await start({ security: { tls: { ...tls, ...own } } });
    const authority = world.issuer.createAuthority();
    const leaf = world.issuer.issue(authority, { commonName: 'mine', use: 'peer', names: hosts, validMs: dayMs });
    const data = { 'tls.crt': leaf.certificate, 'tls.key': leaf.key, 'ca.crt': authority.certificate, ...changes };
    await world.secret('mine', data);
    return { ...world, authority, leaf };
  };
  const problemOf = async ({ observe }: Awaited<ReturnType<typeof start>>) => (await observe()).facts?.problem;

  it('are used as they are', async () => {
    const { observe, authority, leaf, clock } = await given();
    expect(await observe()).toMatchObject({
      facts: { hasAuthority: true, due: [], isAuthorityDue: false, notAfterMs: clock.now() + dayMs },
      credentials: { ca: authority.certificate, cert: leaf.certificate, key: leaf.key },
      trust: authority.certificate,
    });
    expect(await problemOf(await given())).toBeUndefined();
  });

  it('may have their authority in another Secret', async () => {
    const world = await given({ 'ca.crt': '' }, names, { caSecret: 'authority' });
    expect(await problemOf(world)).toBe('there is no ca.crt in the Secret authority');
    await world.secret('authority', { 'ca.crt': world.authority.certificate });
    expect(await problemOf(world)).toBeUndefined();
  });

  it.each([
    [{ 'ca.crt': '' }, 'there is no ca.crt in the Secret mine'],
    [{ 'tls.crt': 'text' }, 'tls.crt of mine is not a certificate'],
    [{ 'tls.key': 'another' }, 'tls.key of mine does not belong to tls.crt'],
  ])('are refused with %j', async (changes, problem) => {
    expect(await problemOf(await given(changes))).toBe(problem);
  });

  it('are refused if they are of another authority, have expired, or are for other names', async () => {
    const world = await given();
    const { certificate } = world.issuer.createAuthority();
    expect(await problemOf(await given({ 'ca.crt': certificate }))).toBe('tls.crt of mine is not issued by ca.crt');
    world.clock.step(dayMs);
    expect(await problemOf(world)).toBe('tls.crt of mine has expired');
    expect(await problemOf(await given({}, ['main.example']))).toBe(
      'tls.crt of mine is not for the members: it needs the name *.main-peer.default.svc',
    );
  });

  it('are missing if there is no such Secret', async () => {
    expect(await problemOf(await start({ security: { tls } }))).toBe('the Secret mine does not exist');
  });
});
