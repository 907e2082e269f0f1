/** A real etcd over TLS that asks for client certificates, which `openssl` makes for the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { skipWithoutEtcd, startEtcd } from './etcd.kit.ts';
import { afterwards, cleanup, commit, failure, openStore, put, take } from './testing.kit.ts';

function withoutOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    process.stderr.write('etcd TLS test skipped: no openssl to make certificates with\n');
    return true;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'ecsm-etcd-tls-'));
const file = (name: string) => join(folder, name);
const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });

function makeCertificates(): void {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
    '-subj',
    '/CN=test',
    '-days',
    '2',
  );
  writeFileSync(file('extensions'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  openssl('req', ...newKey, '-keyout', file('both.key'), '-out', file('both.csr'), '-subj', '/CN=both');
  const signer = [
    '-CA',
    file('ca.pem'),
    '-CAkey',
    file('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    file('extensions'),
  ];
  openssl('x509', '-req', '-in', file('both.csr'), '-out', file('both.pem'), ...signer);
}

describe.skipIf(skipWithoutEtcd() || withoutOpenssl())('etcd over TLS', () => {
  afterEach(cleanup);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('reads, commits and watches with a client certificate, and is Unavailable without', async () => {
    makeCertificates();
    const read = (name: string) => readFileSync(file(name), 'utf8');
    const server = await startEtcd({ tls: { ca: file('ca.pem'), cert: file('both.pem'), key: file('both.key') } });
    afterwards(() => server.stop());
    const tls = { ca: read('ca.pem'), cert: read('both.pem'), key: read('both.key') };
    const store = await openStore({ endpoints: [server.endpoint], tls });
    const after = await store.revision();
    const revision = await commit(store, put('a'));
    expect((await take(store, 1, { after })).map((next) => next.revision)).toEqual([revision]);
    expect(await failure(openStore({ endpoints: [`https://${server.endpoint}`] }))).toBe('Unavailable');
    expect(await failure(openStore({ endpoints: [server.endpoint], tls: { ca: tls.ca } }))).toBe('Unavailable');
    expect(await failure(openStore({ endpoints: [`http://${server.endpoint}`] }))).toBe('Unavailable');
  });
});
