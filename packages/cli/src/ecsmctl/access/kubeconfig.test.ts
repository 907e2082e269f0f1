import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { registryKit } from '../shared/registry.kit.ts';

const kit = registryKit();
const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const serverForm = '--server has to be a URL such as https://127.0.0.1:6443';
const at = (name: string) => join(kit.directory, name);
const tokens = async () => (await kit.run('token list -o json')).out;

beforeAll(async () => {
  mkdirSync(at('.ecsm/pki'), { recursive: true });
  writeFileSync(at('.ecsm/pki/ca.crt'), pem);
  writeFileSync(at('key.pem'), `${pem}-----BEGIN PRIVATE KEY-----\n`);
  writeFileSync(at('taken'), 'mine');
  expect((await kit.run('token create --user first')).code).toBe(0);
});

describe('kubeconfig', () => {
  it('writes a private file with server, CA and token', async () => {
    const { code, out } = await kit.run('kubeconfig --user jane --group dev --expires 24h --out jane.kubeconfig');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^jane\.kubeconfig written: token [0-9a-f]{12} for jane \(dev\), valid until 2026-01-03T03:04:05Z\n$/,
    );
    const config = parse(readFileSync(at('jane.kubeconfig'), 'utf8'));
    expect(config.clusters[0].cluster).toEqual({
      'certificate-authority-data': Buffer.from(pem).toString('base64'),
      server: 'https://127.0.0.1:6443',
    });
    expect(config.users[0]).toEqual({ name: 'jane', user: { token: expect.stringMatching(/^ecsm_/) } });
    expect(statSync(at('jane.kubeconfig')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await tokens())).toContainEqual(
      expect.objectContaining({ id: config.users[0].user.token.split('_')[1], user: 'jane', groups: ['dev'] }),
    );
  });

  it('prints it without --out, with the server and the namespace of the flags', async () => {
    const { code, out, err } = await kit.run(
      'kubeconfig --user jane --server https://site-7.example.com:6443/ -n orbit',
    );
    expect(code).toBe(0);
    const { clusters, contexts } = parse(out);
    expect(clusters[0].cluster.server).toBe('https://site-7.example.com:6443');
    expect(contexts[0].context).toMatchObject({ namespace: 'orbit', user: 'jane' });
    expect(err).toMatch(/^token [0-9a-f]{12} for jane, valid until/);
  });

  it('replaces a file only with --force', async () => {
    writeFileSync(at('old.kubeconfig'), 'mine');
    expect(await kit.run('kubeconfig --user jane --out old.kubeconfig')).toEqual({
      code: 1,
      out: '',
      err: 'ecsmctl: old.kubeconfig already exists and is not overwritten: use --force to replace it\n',
    });
    expect(readFileSync(at('old.kubeconfig'), 'utf8')).toBe('mine');
    expect((await kit.run('kubeconfig --user jane --out old.kubeconfig --force')).code).toBe(0);
    expect(readFileSync(at('old.kubeconfig'), 'utf8')).toContain('current-context: ecsm');
    expect(statSync(at('old.kubeconfig')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['', 2, 'whose token? Specify --user NAME'],
    ['--user jane --force', 2, '--force requires --out FILE'],
    ['--user jane --out taken', 1, 'taken already exists and is not overwritten: use --force to replace it'],
    ['--user jane --server http://x:1', 2, `${serverForm}, not "http://x:1"`],
    ['--user jane --server x', 2, `${serverForm}, not "x"`],
    ['--user jane --server https://u:secret@x', 2, `${serverForm}, without a user or password`],
    ['--user jane --certificate-authority none.crt', 1, 'there is no file "none.crt"'],
    ['--user jane --certificate-authority taken', 1, 'taken is not a certificate in PEM'],
    ['--user jane --certificate-authority key.pem', 1, 'key.pem contains a private key: specify a certificate only'],
  ])('refuses %s and creates no token', async (flags, code, message) => {
    const before = await tokens();
    const result = await kit.run(`kubeconfig ${flags}`);
    expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
    expect(result.err.split('\n')[0]).toBe(`ecsmctl: ${message}`);
    expect(await tokens()).toBe(before);
  });

  it('tells how to get a CA if there is none', async () => {
    const { code, err } = await kit.run('kubeconfig --user jane', { env: { ECSM_HOME: at('empty') } });
    expect(code).toBe(1);
    expect(err).toContain(
      `there is no CA at ${at('empty')}/pki/ca.crt yet: "ecsm-operator --serve" or "ecsm-apiserver"`,
    );
  });

  it('revokes the token if the file cannot be written', async () => {
    const known = new Set(JSON.parse(await tokens()).map(({ id }: { readonly id: string }) => id));
    const { code, out } = await kit.run('kubeconfig --user jane --out none/at/all.kubeconfig');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const added = JSON.parse(await tokens()).filter(({ id }: { readonly id: string }) => !known.has(id));
    expect(added).toMatchObject([{ user: 'jane', state: 'Revoked' }]);
  });
});
