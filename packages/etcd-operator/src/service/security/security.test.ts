import { Secret } from '@ecsm/apiserver';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../../apis/etcd-cluster.ts';
import { createCluster, memoryRegistry, ToyIssuer, withoutTls } from '../../resource/cluster.kit.ts';
import { Managers } from '../../resource/managers.ts';
import type { TlsStep } from '../../resource/tls-material.ts';
import { type SecurityObserved, SecurityService } from './security.ts';

const dayMs = 86_400_000;
const ours = { 'app.kubernetes.io/managed-by': 'etcd-operator', 'etcd.ecsm.sh/cluster': 'main' };

async function start(spec: EtcdClusterInput['spec'] = {}) {
  const clock = new VirtualClock();
  const registry = memoryRegistry(clock);
  const cluster = await createCluster(spec, { registry });
  const issuer = new ToyIssuer(clock);
  const service = new SecurityService(issuer);
  const { secrets } = new Managers(registry);
  const observe = async () => service.observed(cluster, await secrets.read(cluster), clock.now());
  const perform = ({ material, stored }: SecurityObserved, step: TlsStep) =>
    secrets.write(cluster, { material, stored }, service.after(cluster, material, step, clock.now()));
  const take = async (...steps: readonly TlsStep[]) => {
    for (const step of steps) await perform(await observe(), step);
  };
  const secret = (name: string, data: Readonly<Record<string, string>>) => {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return registry.resource(Secret).create(Secret.input({ name }, { data: Object.fromEntries(encoded) }));
  };
  return { clock, registry, cluster, issuer, secrets, observe, perform, take, secret };
}

it('without TLS there are no certificates', async () => {
  const { observe } = await start(withoutTls);
  expect(await observe()).toEqual({
    facts: undefined,
    credentials: undefined,
    trust: '',
    material: { leaves: {} },
    stored: undefined,
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
    await take('RenewLeaves', 'SwitchAuthority');
    expect((await observe()).facts).toMatchObject({ rotation: 'Switched', switchedAtMs: clock.now() });
    await take('RetireAuthority');
    expect((await observe()).facts).toMatchObject({ rotation: 'Steady', isAuthorityDue: false });
  });

  it('cannot be deleted with their authority while the cluster exists, also if they were created before', async () => {
    const { observe, take, registry, cluster, secrets: manager } = await start();
    await take('CreateAuthority', 'RenewLeaves');
    const secrets = registry.resource(Secret);
    await secrets.patch('main-ca', { metadata: { finalizers: null } });
    expect((await observe()).facts).toMatchObject({ hasAuthority: true, isAuthorityKept: false });
    await take('KeepAuthority');
    const { stored, material } = await observe();
    await secrets.delete('main-ca');
    expect(await observe()).toMatchObject({ material, facts: { isAuthorityKept: false, due: [] } });
    await take('KeepAuthority');
    const again = await observe();
    expect(again).toMatchObject({ material, facts: { isAuthorityKept: true, due: [], rotation: 'Steady' } });
    expect(again.stored?.metadata.uid).not.toBe(stored?.metadata.uid);
    await manager.release(cluster);
    await secrets.delete('main-ca');
    await expect(secrets.get('main-ca')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('are not written over Secrets of other owners', async () => {
    const { observe, secret } = await start();
    await secret('main-ca', {});
    expect((await observe()).foreign).toEqual(['Secret/main-ca']);
  });
});

describe('an authority whose Secret was deleted', () => {
  const steps = ['CreateAuthority', 'RenewLeaves', 'SwitchAuthority', 'RenewLeaves', 'RetireAuthority', 'RenewLeaves'];
  /** Deletes a Secret in spite of its finalizer. */
  const lose = async ({ registry }: Awaited<ReturnType<typeof start>>, name = 'main-ca') => {
    const secrets = registry.resource(Secret);
    await secrets.patch(name, { metadata: { finalizers: null } });
    await secrets.delete(name);
  };
  const steady = async () => {
    const world = await start();
    await world.take('CreateAuthority', 'RenewLeaves');
    return { ...world, before: await world.observe() };
  };

  it('is replaced as in any change of it: leaves stay until members trust the next one', async () => {
    const world = await steady();
    const { observe, take, before, issuer, clock } = world;
    await lose(world);
    expect((await observe()).facts).toMatchObject({ hasAuthority: false, isKeyLost: true, lost: [] });
    await take('CreateAuthority');
    const leaves = ['main-server-tls', 'main-peer-tls', 'main-client-tls'];
    const introduced = { isKeyLost: true, rotation: 'Introduced', introducedAtMs: clock.now() };
    expect((await observe()).facts).toMatchObject({ ...introduced, due: leaves, isAuthorityKept: true });
    await take('RenewLeaves');
    const { facts, trust, material, credentials } = await observe();
    expect(facts).toMatchObject({ ...introduced, due: [] });
    expect(credentials).toEqual({ ...before.credentials, ca: trust });
    expect(trust).toBe(`${before.trust}${material.authority?.next?.certificate}`);
    expect(issuer.issued.slice(4)).toEqual(['authority']);
    await take('SwitchAuthority');
    const switched = await observe();
    expect([switched.trust, switched.facts?.due, switched.facts?.isKeyLost]).toEqual([trust, leaves, false]);
    await take('RenewLeaves', 'RetireAuthority', 'RenewLeaves');
    const after = await observe();
    expect(after.facts).toMatchObject({ rotation: 'Steady', due: [], isKeyLost: false });
    expect(after.trust).toBe(material.authority?.next?.certificate);
  });

  it.each([
    ['emptied', { 'ca.crt': null, 'ca.key': null }],
    ['without its key', { 'ca.key': null }],
    ['with something else in it', { 'ca.crt': 'eA==', 'ca.key': 'eA==' }],
    ['with the key of another one', { 'ca.key': 'eA==' }],
  ])('is replaced in the same way if it is %s', async (_, data) => {
    const { registry, observe, take, before } = await steady();
    await registry.resource(Secret).patch('main-ca', { data });
    expect((await observe()).facts).toMatchObject({ hasAuthority: false, isKeyLost: true, lost: [] });
    await take('CreateAuthority', 'RenewLeaves');
    const { facts, credentials } = await observe();
    expect(facts).toMatchObject({ hasAuthority: true, isKeyLost: true, rotation: 'Introduced', due: [] });
    expect(credentials?.cert).toBe(before.credentials?.cert);
  });

  it.each([['main-peer-tls'], ['main-server-tls'], ['main-client-tls'], ['main-client-tls', 'main-peer-tls']])(
    'lets another certificate do for one that is lost with it: %s',
    async (...names) => {
      const world = await steady();
      const { observe, take, before, issuer } = world;
      for (const name of ['main-ca', ...names]) await lose(world, name);
      await take('CreateAuthority', 'RenewLeaves');
      const { facts, material } = await observe();
      expect(facts).toMatchObject({ rotation: 'Introduced', due: [], lost: [] });
      const former = Object.values(before.material.leaves).map(({ certificate }) => certificate);
      for (const { certificate } of Object.values(material.leaves)) expect(former).toContain(certificate);
      expect(issuer.issued.slice(4)).toEqual(['authority']);
      await take('SwitchAuthority', 'RenewLeaves');
      expect(issuer.issued.slice(5)).toEqual(['main-server', 'main-peer', 'root']);
    },
  );

  it('is lost for good without a certificate of members, and then certificates are issued at once', async () => {
    const world = await steady();
    const { observe, take } = world;
    for (const name of ['main-ca', 'main-server-tls', 'main-peer-tls']) await lose(world, name);
    const lost = ['main-server-tls', 'main-peer-tls'];
    expect((await observe()).facts).toMatchObject({ hasAuthority: false, isKeyLost: true, lost });
    await take('CreateAuthority');
    const { facts, trust, material } = await observe();
    expect(facts).toMatchObject({ rotation: 'Steady', due: [], lost: [], isKeyLost: false });
    expect(trust).toBe(material.authority?.current.certificate);
  });

  it('is replaced by one of a crash before the certificates were written', async () => {
    const world = await steady();
    const { registry, cluster, observe, take, issuer } = world;
    for (const name of ['main-ca', 'main-server-tls', 'main-peer-tls']) await lose(world, name);
    const { secrets } = new Managers(registry);
    const current = issuer.createAuthority();
    await secrets.write(
      cluster,
      { material: { leaves: {} }, stored: undefined },
      { authority: { current }, leaves: {} },
    );
    await take('CreateAuthority');
    expect((await observe()).material.authority).toEqual({ current });
  });

  it('may be deleted again at every step, and what was trusted stays so', async () => {
    for (let count = 1; count <= steps.length; count++) {
      const world = await steady();
      const { observe, take } = world;
      await lose(world);
      for (const step of steps.slice(0, count)) await take(step as TlsStep);
      const { material, credentials } = await observe();
      await lose(world);
      const { facts } = await observe();
      expect(facts, `${count}`).toMatchObject({ hasAuthority: false, isKeyLost: true, lost: [] });
      await take('CreateAuthority', 'RenewLeaves');
      const after = await observe();
      expect(after.facts, `${count}`).toMatchObject({ rotation: 'Introduced', due: [] });
      expect(after.credentials?.cert).toBe(credentials?.cert);
      for (const { trust } of Object.values(material.leaves)) expect(after.trust.startsWith(trust.trim())).toBe(true);
      await take('SwitchAuthority', 'RenewLeaves', 'RetireAuthority', 'RenewLeaves');
      expect((await observe()).facts, `${count}`).toMatchObject({ rotation: 'Steady', due: [] });
    }
  });

  it('may be restored from a backup at every step: members trust it before it issues again', async () => {
    for (let count = 1; count <= steps.length; count++) {
      const world = await steady();
      const { registry, observe, take, before } = world;
      const { data } = Secret.fieldsOf(await registry.resource(Secret).get('main-ca'));
      await lose(world);
      for (const step of steps.slice(0, count)) await take(step as TlsStep);
      const { credentials } = await observe();
      await lose(world);
      await registry
        .resource(Secret)
        .create(Secret.input({ name: 'main-ca', labels: { ...ours } }, { data: data ?? {} }));
      for (let passes = 0; passes < 10; passes++) {
        const { facts, trust, credentials: own } = await observe();
        const isKnown =
          credentials !== undefined && trust.includes(credentials.cert === own?.cert ? own.ca.trim() : '');
        if (!facts?.hasAuthority) await take('CreateAuthority');
        else if (!facts.isAuthorityKept) await take('KeepAuthority');
        else if (facts.due.length > 0) await take('RenewLeaves');
        else if (facts.rotation === 'Introduced') {
          expect(isKnown, `${count}`).toBe(true);
          await take('SwitchAuthority');
        } else if (facts.rotation === 'Switched') await take('RetireAuthority');
      }
      const after = await observe();
      expect(after.facts, `${count}`).toMatchObject({ rotation: 'Steady', due: [], isAuthorityKept: true });
      expect(after.material.authority, `${count}`).toEqual(before.material.authority);
    }
  });

  it('is not written over one that a user restores meanwhile', async () => {
    const world = await steady();
    const { registry, perform, observe } = world;
    const { data } = Secret.fieldsOf(await registry.resource(Secret).get('main-ca'));
    const secrets = registry.resource(Secret);
    for (const lostBy of ['deleted', 'emptied']) {
      if (lostBy === 'deleted') await lose(world);
      else await secrets.patch('main-ca', { data: { 'ca.crt': null, 'ca.key': null } });
      const seen = await observe();
      if (lostBy === 'deleted')
        await secrets.create(Secret.input({ name: 'main-ca', labels: { ...ours } }, { data: data ?? {} }));
      else await secrets.patch('main-ca', { data: { ...data } });
      await expect(perform(seen, 'CreateAuthority')).rejects.toMatchObject({ code: 'Conflict' });
      expect((await observe()).facts).toMatchObject({
        hasAuthority: true,
        isKeyLost: false,
        rotation: 'Steady',
        due: [],
      });
    }
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
