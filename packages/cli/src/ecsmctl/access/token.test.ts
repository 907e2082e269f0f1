import { BearerAuthenticator, RegistryTokens } from '@ecsm/apiserver';
import { openRegistry, systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nowMs, registryKit } from '../shared/registry.kit.ts';
import { accessKinds } from './access-session.ts';

const kit = registryKit();
const tokenForm = /^ecsm_[0-9a-f]{12}_[0-9a-f]{64}\n$/;

/** Who a server takes the bearer of the token for. Throws `Unauthorized`. */
async function userOf(token: string, atMs = nowMs) {
  const clock = { ...systemClock, now: () => atMs };
  const registry = await openRegistry(kit.url, { kinds: accessKinds, clock });
  try {
    const authenticator = new BearerAuthenticator(new RegistryTokens(registry), clock);
    return await authenticator.authenticate({ authorization: `Bearer ${token}` });
  } finally {
    await registry.close();
  }
}

async function create(flags: string) {
  const { code, out, err } = await kit.run(`token create ${flags}`);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  expect(out).toMatch(tokenForm);
  return { token: out.trim(), id: out.split('_')[1] ?? '', err };
}

describe('token create', () => {
  it('creates the registry and prints a token that a server accepts until it expires', async () => {
    const { token, id, err } = await create('--user jane --group dev --group ops --expires 720h --description laptop');
    expect(err).toBe(
      `created the registry ${kit.url}\ntoken ${id} for jane (dev, ops), valid until 2026-02-01T03:04:05Z; it is not shown again\n`,
    );
    expect(await userOf(token)).toMatchObject({ name: 'jane', groups: expect.arrayContaining(['dev', 'ops']) });
    await expect(userOf(token, Date.UTC(2026, 1, 1, 3, 4, 6))).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('is valid for 90 days by default', async () => {
    const { err } = await create('--user joe');
    expect(err).toContain('valid until 2026-04-02T03:04:05Z');
  });

  it.each([
    ['', 'whose token? Specify --user NAME'],
    ['--user jane --expires soon', '--expires has to be a time such as 12h or 720h, not "soon"'],
    ['--user jane --expires 0', 'a token is valid for at least a second and at most 10 years'],
    ['--user jane --expires 90000h', 'a token is valid for at least a second and at most 10 years'],
    ['--user jane --group system:authenticated', 'system:authenticated cannot be the group of a token'],
    ['--user system:anonymous', 'system:anonymous cannot be the user of a token'],
  ])('refuses %s', async (flags, message) => {
    const before = (await kit.run('token list -o name')).out;
    const { code, out, err } = await kit.run(`token create ${flags}`);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.split('\n')[0]).toBe(`ecsmctl: ${message}`);
    expect((await kit.run('token list -o name')).out).toBe(before);
  });
});

describe('token list', () => {
  const site = registryKit();
  const ids: string[] = [];
  beforeAll(async () => {
    const earlier = { ...systemClock, now: () => nowMs - 7_200_000 };
    for (const flags of ['--user jane --group dev', '--user joe --description laptop', '--user old --expires 1h']) {
      const { test, code } = site.start(`token create ${flags}`, { clock: earlier });
      expect(await code).toBe(0);
      ids.push(test.out.text.split('_')[1] ?? '');
    }
    expect((await site.run(`token revoke ${ids[1]}`)).code).toBe(0);
  });
  afterAll(() => ids.splice(0));

  it('shows users, groups and states', async () => {
    const { code, out } = await site.run('token list');
    const rows = out.trimEnd().split('\n');
    const cells = rows.map((row) => row.split(/ {3,}/).map((cell) => cell.trim()));
    expect(code).toBe(0);
    expect(cells[0]).toEqual(['ID', 'USER', 'GROUPS', 'STATE', 'EXPIRES', 'AGE', 'DESCRIPTION']);
    expect(cells.slice(1).sort(byUser)).toEqual([
      [ids[0], 'jane', 'dev', 'Active', '2026-04-02T01:04:05Z', '120m', '<none>'],
      [ids[1], 'joe', '<none>', 'Revoked', '2026-04-02T01:04:05Z', '120m', 'laptop'],
      [ids[2], 'old', '<none>', 'Expired', '2026-01-02T02:04:05Z', '120m', '<none>'],
    ]);
  });

  it('prints no hash in any format', async () => {
    const { out: json } = await site.run('token list -o json');
    const { out: yaml } = await site.run('token list -o yaml');
    expect(JSON.parse(json)).toHaveLength(3);
    expect(JSON.parse(json)).toContainEqual({
      id: ids[1],
      user: 'joe',
      groups: [],
      description: 'laptop',
      created: '2026-01-02T01:04:05Z',
      expires: '2026-04-02T01:04:05Z',
      revoked: '2026-01-02T03:04:05Z',
      state: 'Revoked',
    });
    expect(yaml).toContain('user: jane');
    expect(`${json}${yaml}`).not.toMatch(/hash|[0-9a-f]{64}/);
  });

  it('prints names that revoke accepts, and an invalid format is a usage error', async () => {
    const { out } = await site.run('token list -o name');
    expect(out.trimEnd().split('\n').sort()).toEqual(ids.map((id) => `token/${id}`).sort());
    expect((await site.run('token list -o wide')).code).toBe(2);
  });
});

const byUser = (one: readonly string[], other: readonly string[]) => ((one[1] ?? '') < (other[1] ?? '') ? -1 : 1);

describe('token revoke', () => {
  it('makes a server reject the token, and can be repeated', async () => {
    const { token, id } = await create('--user jane');
    const revoked = { code: 0, out: `token/${id} revoked\n`, err: '' };
    expect(await kit.run(`token revoke ${id}`)).toEqual(revoked);
    await expect(userOf(token)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(await kit.run(`token revoke token/${id}`)).toEqual(revoked);
  });

  it('revokes the others if one does not exist', async () => {
    const { token, id } = await create('--user jane');
    const { code, out, err } = await kit.run(`token revoke 000000000000 ${id}`);
    expect({ code, out }).toEqual({ code: 1, out: `token/${id} revoked\n` });
    expect(err).toBe('ecsmctl: there is no token "000000000000": "ecsmctl token list" shows all\n');
    await expect(userOf(token)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('does not repeat a secret that is given instead of an id', async () => {
    const { token, id } = await create('--user jane');
    const { code, err } = await kit.run(`token revoke ${token}`);
    expect(code).toBe(2);
    expect(err).toContain(`its id is ${id}`);
    expect(err).not.toContain(token);
  });
});

it('the commands that only read do not create a registry', async () => {
  const nowhere = `sqlite:${kit.directory}/nowhere`;
  for (const line of ['token list', 'token revoke 000000000000', 'auth can-i get services']) {
    const { code, err } = await kit.run(`${line} --registry ${nowhere}`);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('there is no registry at') });
  }
});
