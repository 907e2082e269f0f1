/** Certificates in real directories, checked by Node.js, by a TLS handshake on loopback, and by OpenSSL. */
import { execFile, execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { isApiError, systemClock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Certificates } from './certificates.ts';
import { subjectOf, validityOf } from './read.ts';

const dayMs = 86_400_000;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ecsm-pki-'));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'pki');
}

const open = (path: string, more: Partial<ConstructorParameters<typeof Certificates>[0]> = {}) =>
  new Certificates({
    directory: path,
    names: ['localhost', '127.0.0.1', '::1'],
    server: 'https://127.0.0.1:6443',
    clock: new VirtualClock(),
    ...more,
  });

function failure(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

describe('the first start', () => {
  it('creates private files', () => {
    const path = directory();
    open(path);
    expect(readdirSync(path).sort()).toEqual(['admin.kubeconfig', 'admin.pem', 'ca.crt', 'ca.pem', 'server.pem']);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
  });

  it('creates an authority for ten years that has signed everything', () => {
    const path = directory();
    const clock = new VirtualClock();
    const { authorityPem, server } = open(path, { clock });
    const authority = new X509Certificate(authorityPem);
    const certificate = new X509Certificate(server.cert);
    expect(authority.ca).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(validityOf(authority).toMs).toBe(clock.now() + 3650 * dayMs);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(validityOf(certificate).toMs).toBe(clock.now() + 365 * dayMs);
    expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(certificate.serialNumber).not.toBe(authority.serialNumber);
  });

  it('writes a kubeconfig of an administrator', () => {
    const { adminKubeconfig, authorityPem } = open(directory());
    const config = parse(readFileSync(adminKubeconfig, 'utf8'));
    const text = (data: string) => Buffer.from(data, 'base64').toString();
    expect(text(config.clusters[0].cluster['certificate-authority-data'])).toBe(authorityPem);
    const { user } = config.users[0];
    const certificate = new X509Certificate(text(user['client-certificate-data']));
    expect(subjectOf(certificate.raw)).toEqual({ commonName: 'admin', organizations: ['system:masters'] });
    expect(text(user['client-key-data'])).toContain('PRIVATE KEY');
  });

  it('ends with one authority when several processes start at once', async () => {
    const path = directory();
    const program = `
      const { Certificates } = await import(${JSON.stringify(new URL('../../dist/tls/certificates.js', import.meta.url).href)});
      const clock = { now: () => 1767323045000 };
      const all = new Certificates({ directory: process.argv[1], names: ['localhost'], server: 'https://a', clock });
      process.stdout.write(all.authorityPem + all.server.cert);`;
    const runs = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, path]),
    );
    const outputs = (await Promise.all(runs)).map(({ stdout }) => stdout);
    const blocks = outputs.map((text) => text.split(/(?<=END CERTIFICATE-----\n)/));
    expect(new Set(blocks.map(([authority]) => authority))).toEqual(
      new Set([readFileSync(join(path, 'ca.crt'), 'utf8')]),
    );
    const { publicKey } = new X509Certificate(readFileSync(join(path, 'ca.crt')));
    for (const [, server = ''] of blocks) expect(new X509Certificate(server).verify(publicKey)).toBe(true);
    expect(readdirSync(path).filter((name) => name.startsWith('.new-'))).toEqual([]);
    open(path, { names: ['localhost'] });
  });

  it('fails while the clock of the machine is not set', () => {
    const path = directory();
    const error = failure(() => open(path, { clock: new VirtualClock(60_000) }));
    expect(isApiError(error, 'Unavailable') && error.message).toContain('the clock of this machine is at 1970-01-01');
    expect(readdirSync(path)).toEqual([]);
  });

  it('warns about a directory that others can access, and does not change it', () => {
    const path = directory();
    mkdirSync(path);
    chmodSync(path, 0o755);
    const messages: unknown[] = [];
    open(path, { log: { write: (level, _message, fields) => void messages.push([level, fields?.fix]) } });
    expect(messages).toContainEqual(['warn', `chmod go= "${path}"`]);
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });
});

describe('a later start', () => {
  it('changes nothing', () => {
    const path = directory();
    open(path);
    const contents = () => readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
    const before = contents();
    open(path, { names: ['127.0.0.1', 'localhost'] });
    expect(contents()).toEqual(before);
  });

  it('issues a server certificate for a new address', () => {
    const path = directory();
    const before = open(path);
    const after = open(path, { names: ['localhost', '10.0.0.7'] });
    expect(after.authorityPem).toBe(before.authorityPem);
    expect(new X509Certificate(after.server.cert).checkIP('10.0.0.7')).toBe('10.0.0.7');
  });

  it('leaves a kubeconfig that kubectl has rewritten as it is, and starts', () => {
    const path = directory();
    const edited = 'apiVersion: v1\nkind: Config\n';
    open(path);
    writeFileSync(join(path, 'admin.kubeconfig'), edited);
    open(path);
    expect(readFileSync(join(path, 'admin.kubeconfig'), 'utf8')).toBe(edited);
  });

  it('writes a new address of the server to the kubeconfig of the administrator', () => {
    const path = directory();
    open(path);
    const { adminKubeconfig } = open(path, { server: 'https://10.0.0.7:6443' });
    expect(parse(readFileSync(adminKubeconfig, 'utf8')).clusters[0].cluster.server).toBe('https://10.0.0.7:6443');
  });

  it.each([
    ['ca.pem', 'garbage'],
    ['ca.pem', ''],
    ['ca.pem', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['ca.crt', 'another'],
    ['server.pem', 'garbage'],
    [
      'admin.pem',
      '-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n',
    ],
    ['server.pem', 'x'.repeat(1_048_577)],
  ])('reports a damaged %s and does not overwrite it', (name, text) => {
    const path = directory();
    open(path);
    writeFileSync(join(path, name), text);
    const error = failure(() => open(path));
    expect(isApiError(error, 'Corrupt') && error.details.what).toBe(join(path, name));
    expect(readFileSync(join(path, name), 'utf8')).toBe(text);
  });

  it('reports a certificate of another authority, and a key of another certificate', () => {
    const [path, other] = [directory(), directory()];
    open(path);
    open(other);
    const foreign = readFileSync(join(other, 'server.pem'), 'utf8');
    writeFileSync(join(path, 'server.pem'), foreign);
    expect(() => open(path)).toThrow('not issued by the authority');
    const mixed = foreign.split('-----BEGIN CERTIFICATE')[0] + readFileSync(join(path, 'ca.crt'), 'utf8');
    writeFileSync(join(path, 'server.pem'), mixed);
    expect(() => open(path)).toThrow('does not belong to its certificate');
  });

  it('reports an authority that has expired', () => {
    const path = directory();
    const clock = new VirtualClock();
    open(path, { clock });
    clock.step(3651 * dayMs);
    expect(() => open(path, { clock })).toThrow('has expired at 2035-12-31T03:04:05Z');
  });
});

describe('renewal', () => {
  it('replaces certificates when less than a third of their time remains', () => {
    const path = directory();
    const clock = new VirtualClock();
    const certificates = open(path, { clock });
    const before = { cert: certificates.server.cert, admin: readFileSync(certificates.adminKubeconfig, 'utf8') };
    clock.step(242 * dayMs);
    expect(certificates.renew()).toBeUndefined();
    expect(certificates.server.cert).toBe(before.cert);
    clock.step(2 * dayMs);
    const renewed = certificates.renew();
    expect(renewed?.cert).not.toBe(before.cert);
    expect(validityOf(new X509Certificate(renewed?.cert ?? '')).toMs).toBe(clock.now() + 365 * dayMs);
    expect(readFileSync(certificates.adminKubeconfig, 'utf8')).not.toBe(before.admin);
    expect(certificates.renew()).toBeUndefined();
    expect(open(path, { clock }).server).toEqual(renewed);
  });

  it('ends with the authority, without renewing again and again', () => {
    const clock = new VirtualClock();
    const certificates = open(directory(), { clock });
    clock.step(3600 * dayMs);
    const last = certificates.renew();
    expect(validityOf(new X509Certificate(last?.cert ?? '')).toMs).toBe(
      validityOf(new X509Certificate(certificates.authorityPem)).toMs,
    );
    clock.step(49 * dayMs);
    expect(certificates.renew()).toBeUndefined();
  });
});

describe('a TLS handshake', () => {
  it('accepts the server by name and address, and the client by its certificate', async () => {
    const certificates = open(directory(), { clock: systemClock });
    const peers: (readonly [boolean, unknown])[] = [];
    const server = createServer({ ...certificates.server, requestCert: true, rejectUnauthorized: false }, (socket) => {
      const peer = socket.getPeerX509Certificate();
      peers.push([socket.authorized, peer && subjectOf(peer.raw)]);
      socket.end('done');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const visit = async (options: object) => {
      const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: certificates.authorityPem, ...options });
      for await (const _chunk of socket) break;
      return socket.authorized;
    };
    const groups = ['dev', 'Ünïcode, O=x', 'a+b'];
    const jane = certificates.issueClient('jane "j" doe\n', groups, dayMs);
    const foreign = open(directory(), { clock: systemClock }).issueClient('jane', ['system:masters'], dayMs);
    expect(await visit({ servername: 'localhost', ...jane })).toBe(true);
    expect(await visit({})).toBe(true);
    expect(await visit({ ...foreign })).toBe(true);
    await expect(visit({ servername: 'elsewhere' })).rejects.toThrow('altnames');
    expect(peers.slice(0, 3)).toEqual([
      [true, { commonName: 'jane "j" doe\n', organizations: groups }],
      [false, undefined],
      [false, { commonName: 'jane', organizations: ['system:masters'] }],
    ]);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('certificates are not verified by OpenSSL: there is no openssl\n');
    return false;
  }
}

describe.skipIf(!hasOpenssl())('openssl', () => {
  it('verifies server and client certificates, strictly and for their purpose only', () => {
    const path = directory();
    const certificates = open(path, { clock: systemClock });
    const client = join(path, 'client.crt');
    writeFileSync(client, certificates.issueClient('jane', ['dev'], dayMs).cert);
    const verify = (...words: string[]) =>
      execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', join(path, 'ca.crt'), ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    expect(verify('-purpose', 'sslserver', '-verify_ip', '127.0.0.1', join(path, 'server.pem'))).toContain(': OK');
    expect(verify('-purpose', 'sslserver', '-verify_hostname', 'localhost', join(path, 'server.pem'))).toContain(
      ': OK',
    );
    expect(verify('-purpose', 'sslclient', client)).toContain(': OK');
    expect(() => verify('-purpose', 'sslserver', client)).toThrow();
    expect(() => verify('-purpose', 'sslclient', join(path, 'server.pem'))).toThrow();
    expect(() => verify('-verify_ip', '10.0.0.1', join(path, 'server.pem'))).toThrow();
  });
});
