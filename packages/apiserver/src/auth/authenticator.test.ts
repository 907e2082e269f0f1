import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, isApiError } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { Certificates } from '../tls/certificates.ts';
import { UnionAuthenticator } from './authenticator.ts';
import { BearerAuthenticator, bearerLimits } from './bearer.ts';
import { CertificateAuthenticator } from './client-certificate.ts';
import { MemoryTokens } from './memory-tokens.kit.ts';
import { createToken, revokeToken, type TokenRecord } from './tokens.ts';

const directory = mkdtempSync(join(tmpdir(), 'ecsm-auth-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const dayMs = 86_400_000;

const certificatesAt = (name: string, clock = new VirtualClock()) =>
  new Certificates({ directory: join(directory, name), names: ['localhost'], server: 'https://localhost', clock });
const peer = (pem: string) => ({ raw: new X509Certificate(pem).raw });

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    (value) => new Error(`accepted: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (isApiError(error, 'Unauthorized')) return error.details.reason;
  throw error;
}

async function bearer(validMs = dayMs) {
  const store = new MemoryTokens();
  const clock = new VirtualClock();
  const created = await createToken(store, clock, { user: 'jane', groups: ['dev'], validMs });
  const authenticator = new BearerAuthenticator(store, clock);
  const authenticate = (authorization: string) => authenticator.authenticate({ authorization });
  return { store, clock, authenticator, authenticate, header: `Bearer ${created.token}`, ...created };
}

describe('a bearer token', () => {
  it('is the user of its record, who is authenticated', async () => {
    const { authenticate, header, record } = await bearer();
    const user = {
      name: 'jane',
      groups: ['dev', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`TOKEN=${record.id}`] },
    };
    expect(await authenticate(header)).toEqual(user);
    expect(await authenticate(header.replace('Bearer', 'bearer'))).toEqual(user);
  });

  it('is not needed: without the header a request is anonymous', async () => {
    const { authenticator } = await bearer();
    expect(await authenticator.authenticate({ authorization: undefined })).toBeUndefined();
  });

  it('expires at every request anew, whatever is cached', async () => {
    const { authenticate, clock, header } = await bearer(1_500);
    expect(await authenticate(header)).toMatchObject({ name: 'jane' });
    await clock.advance(1_500);
    expect(await reasonOf(authenticate(header))).toBe('the bearer token has expired at 2026-01-02T03:04:06Z');
  });

  it('is revoked within the time of the cache', async () => {
    const { authenticate, clock, header, store, record } = await bearer();
    expect(await authenticate(header)).toMatchObject({ name: 'jane' });
    await revokeToken(store, clock, record.id);
    await clock.advance(bearerLimits.cacheMs);
    expect(await reasonOf(authenticate(header))).toBe('the bearer token is revoked');
  });

  it('reads the store once for many requests', async () => {
    const { authenticate, header, store } = await bearer();
    await Promise.all(Array.from({ length: 100 }, () => authenticate(header)));
    expect(store.reads).toBe(1);
  });

  it('works as soon as it is created, even after a request with it was rejected', async () => {
    const { authenticate, header, store, record } = await bearer();
    store.records.clear();
    expect(await reasonOf(authenticate(header))).toBe('the bearer token is invalid');
    await store.create(record);
    expect(await authenticate(header)).toMatchObject({ name: 'jane' });
  });

  it('gives one answer for an unknown id, a wrong secret and a damaged token', async () => {
    const { authenticate, header, token, record } = await bearer();
    const flip = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
    const damaged = [
      ...Array.from({ length: token.length - 5 }, (_, index) => `Bearer ${flip(token, index + 5)}`),
      header.slice(0, -1),
      `${header}0`,
      `Bearer ecsm_${record.id}_`,
      `Bearer ecsm_${record.id}_${record.hash}`,
      `Bearer ${token.slice(18)}`,
      'Bearer null',
    ];
    for (const one of damaged) expect(await reasonOf(authenticate(one))).toBe('the bearer token is invalid');
  });

  it.each([
    ['an empty header', ''],
    ['no token', 'Bearer'],
    ['only spaces', 'Bearer   '],
    ['two tokens', 'Bearer a b'],
    ['basic authentication', 'Basic amFuZTpzZWNyZXQ='],
    ['another scheme', 'Negotiate abc'],
    ['a huge header', `Bearer ${'a'.repeat(bearerLimits.headerLengthMax)}`],
    ['many spaces', `Bearer ${' '.repeat(8_000)}\t`],
  ])('is not %s', async (_name, header) => {
    const { authenticate } = await bearer();
    expect(await reasonOf(authenticate(header))).toBe('the Authorization header is not a bearer token');
  });

  it('is looked at if its header has up to 8,192 characters, and cached for two seconds', async () => {
    const { authenticate, clock, header, store } = await bearer();
    const long = (length: number) => `Bearer ${'a'.repeat(length - 'Bearer '.length)}`;
    expect(await reasonOf(authenticate(long(8_192)))).toBe('the bearer token is invalid');
    expect(await reasonOf(authenticate(long(8_193)))).toBe('the Authorization header is not a bearer token');
    await authenticate(header);
    await clock.advance(1_999);
    await authenticate(header);
    expect(store.reads).toBe(1);
    await clock.advance(1);
    await authenticate(header);
    expect(store.reads).toBe(2);
  });

  it('is Unavailable, not anonymous, while the store cannot be read', async () => {
    const { clock, header, record } = await bearer();
    let fails = true;
    class Failing extends MemoryTokens {
      override async get(): Promise<TokenRecord | undefined> {
        if (fails) throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
        return record;
      }
    }
    const authenticator = new BearerAuthenticator(new Failing(), clock);
    await expect(authenticator.authenticate({ authorization: header })).rejects.toThrow('down');
    fails = false;
    expect(await authenticator.authenticate({ authorization: header })).toMatchObject({ name: 'jane' });
  });
});

describe('a client certificate', () => {
  const clock = new VirtualClock();
  const certificates = certificatesAt('own', clock);
  const authenticator = new CertificateAuthenticator(certificates.authorityPem, clock);
  const authenticate = (pem: string) => authenticator.authenticate({ peerCertificate: peer(pem) });

  it('is its common name, with its organizations as groups', async () => {
    const { cert } = certificates.issueClient('jane', ['dev', 'ops'], dayMs);
    expect(await authenticate(cert)).toMatchObject({ name: 'jane', groups: ['dev', 'ops', 'system:authenticated'] });
  });

  it('is rejected after its expiry, even if it was accepted before', async () => {
    const { cert } = certificates.issueClient('jane', [], 5_000);
    expect(await authenticate(cert)).toMatchObject({ name: 'jane' });
    clock.step(5_000);
    expect(await reasonOf(authenticate(cert))).toContain('has expired');
    clock.step(-7_300_000);
    expect(await reasonOf(authenticate(cert))).toContain('not valid yet');
    clock.step(7_295_000);
  });

  it('is rejected after its expiry on a connection that was open before', async () => {
    const peerCertificate = peer(certificates.issueClient('jane', [], 5_000).cert);
    expect(authenticator.known({ peerCertificate })).toBeUndefined();
    for (let n = 0; n < 2; n++)
      expect(await authenticator.authenticate({ peerCertificate })).toMatchObject({ name: 'jane' });
    expect(authenticator.known({ peerCertificate })).toMatchObject({ name: 'jane' });
    clock.step(5_000);
    expect(authenticator.known({ peerCertificate })).toBeUndefined();
    expect(await reasonOf(authenticator.authenticate({ peerCertificate }))).toContain('has expired');
    clock.step(-5_000);
  });

  it('is rejected again on a connection on which it was rejected', async () => {
    const peerCertificate = peer(certificatesAt('other').issueClient('jane', [], dayMs).cert);
    for (let n = 0; n < 2; n++) {
      expect(await reasonOf(authenticator.authenticate({ peerCertificate }))).toContain('not issued by the authority');
      expect(authenticator.known({ peerCertificate })).toBeUndefined();
    }
  });

  it('is rejected if another authority has issued it', async () => {
    const { cert } = certificatesAt('foreign').issueClient('jane', ['system:masters'], dayMs);
    expect(await reasonOf(authenticate(cert))).toContain('not issued by the authority');
  });

  it('is rejected if it is one of a server, or the authority itself', async () => {
    expect(await reasonOf(authenticate(certificates.server.cert))).toContain('not one of a client');
    expect(await reasonOf(authenticate(certificates.authorityPem))).toContain('not one of a client');
  });

  it('is rejected without a common name, and if a byte of it is changed', async () => {
    const { cert } = certificates.issueClient('', ['system:masters'], dayMs);
    expect(await reasonOf(authenticate(cert))).toContain('no common name');
    const { raw } = peer(certificates.issueClient('jane', ['dev'], dayMs).cert);
    for (let index = 0; index < raw.length; index++) {
      const changed = Buffer.from(raw);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await reasonOf(authenticator.authenticate({ peerCertificate: { raw: changed } }));
    }
  });

  it('is rejected if it is too large', async () => {
    const work = authenticator.authenticate({ peerCertificate: { raw: Buffer.alloc(65_537) } });
    expect(await reasonOf(work)).toBe('the client certificate is too large');
  });
});

describe('several authenticators', () => {
  it('accept a good token next to a foreign certificate, and reject two bad credentials', async () => {
    const { authenticator, header } = await bearer();
    const { authorityPem } = certificatesAt('own');
    const union = new UnionAuthenticator(new CertificateAuthenticator(authorityPem, new VirtualClock()), authenticator);
    const peerCertificate = peer(certificatesAt('foreign').issueClient('root', [], dayMs).cert);
    expect(await union.authenticate({ authorization: header, peerCertificate })).toMatchObject({ name: 'jane' });
    expect(await reasonOf(union.authenticate({ authorization: 'Bearer x', peerCertificate }))).toContain('authority');
    expect(await reasonOf(union.authenticate({ authorization: 'Bearer x', peerCertificate: undefined }))).toContain(
      'invalid',
    );
    expect(await union.authenticate({ authorization: undefined, peerCertificate: undefined })).toBeUndefined();
  });

  it('know the user of an open connection, and ask again about one that is not known', async () => {
    const { authenticator, header } = await bearer();
    const own = certificatesAt('own');
    const union = new UnionAuthenticator(
      new CertificateAuthenticator(own.authorityPem, new VirtualClock()),
      authenticator,
    );
    const peerCertificate = peer(own.issueClient('root', [], dayMs).cert);
    expect(union.known({ authorization: header, peerCertificate })).toBeUndefined();
    await union.authenticate({ authorization: header, peerCertificate });
    expect(union.known({ authorization: header, peerCertificate })).toMatchObject({ name: 'root' });
    await union.authenticate({ authorization: header, peerCertificate: undefined });
    expect(union.known({ authorization: header, peerCertificate: undefined })).toBeUndefined();
  });
});
