import { connect, createServer, type TLSSocket } from 'node:tls';
import { systemClock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type LeafTemplate, x509Issuer } from './certificates.ts';
import {
  afterStep,
  dueLeaves,
  expiryOf,
  isAuthorityDue,
  type LeafMaterial,
  type TlsMaterial,
  type TlsStep,
} from './tls-material.ts';

const dayMs = 86_400_000;
/** The present: the connections of the tests check the certificates against it. */
const startMs = systemClock.now();
const names = ['*.main-peer.default.svc', 'localhost'];
const templates: Record<'server' | 'client', LeafTemplate> = {
  server: { commonName: 'main', use: 'peer', names, validMs: 90 * dayMs },
  client: { commonName: 'root', use: 'client', names: [], validMs: 90 * dayMs },
};

function material(...steps: readonly TlsStep[]): TlsMaterial {
  const issuer = x509Issuer(new VirtualClock(startMs));
  return steps.reduce<TlsMaterial>((now, step) => afterStep(issuer, now, step, templates, startMs), { leaves: {} });
}

const issuer = x509Issuer(new VirtualClock(startMs));
const due = (tls: TlsMaterial, afterDays: number) => dueLeaves(issuer, tls, templates, startMs + afterDays * dayMs);

describe('leaves', () => {
  it('are issued for a new cluster, and are then not due', () => {
    expect(due(material('CreateAuthority'), 0)).toEqual(['server', 'client']);
    expect(due(material('CreateAuthority', 'RenewLeaves'), 0)).toEqual([]);
  });

  it('are due before they are valid, as after a clock that was ahead was corrected', () => {
    expect(due(material('CreateAuthority', 'RenewLeaves'), -1)).toEqual(['server', 'client']);
  });

  it('are due at two thirds of their life', () => {
    const tls = material('CreateAuthority', 'RenewLeaves');
    expect(due(tls, 59)).toEqual([]);
    expect(due(tls, 61)).toEqual(['server', 'client']);
    expect(expiryOf(issuer, tls)).toBeGreaterThan(startMs + 89 * dayMs);
  });

  it('are due for other names, and with a key of another certificate', () => {
    const tls = material('CreateAuthority', 'RenewLeaves');
    const other = { ...templates, server: { ...templates.server, names: ['other.svc'] } };
    expect(dueLeaves(issuer, tls, other, startMs)).toEqual(['server']);
    const { server, client } = tls.leaves;
    if (!server || !client) throw new Error('no leaves');
    expect(due({ ...tls, leaves: { server: { ...server, key: client.key }, client } }, 0)).toEqual(['server']);
  });
});

describe('the authority', () => {
  it('is due at two thirds of its life', () => {
    const { authority } = material('CreateAuthority');
    if (!authority) throw new Error('no authority');
    expect(isAuthorityDue(issuer, authority, startMs + 2_000 * dayMs)).toBe(false);
    expect(isAuthorityDue(issuer, authority, startMs + 2_500 * dayMs)).toBe(true);
  });

  it('changes so that members before and after each step trust each other', async () => {
    const stages: TlsMaterial[] = [material('CreateAuthority', 'RenewLeaves')];
    for (const step of ['IntroduceAuthority', 'SwitchAuthority', 'RetireAuthority'] as const) {
      const before = stages.at(-1) ?? { leaves: {} };
      const changed = afterStep(issuer, before, step, templates, startMs);
      stages.push(afterStep(issuer, changed, 'RenewLeaves', templates, startMs));
    }
    const [steady, introduced, switched, retired] = stages;
    expect(await handshake(steady, introduced)).toBe('ok');
    expect(await handshake(introduced, switched)).toBe('ok');
    expect(await handshake(switched, introduced)).toBe('ok');
    expect(await handshake(switched, retired)).toBe('ok');
    expect(await handshake(retired, switched)).toBe('ok');
    // Both changes at once would not do.
    expect(await handshake(steady, retired)).not.toBe('ok');
  });
});

/** A real TLS connection, with certificates on both sides. */
async function handshake(server: TlsMaterial | undefined, client: TlsMaterial | undefined): Promise<string> {
  const [own, other] = [server?.leaves.server, client?.leaves.client];
  if (!own || !other) throw new Error('no leaves');
  const listener = createServer(
    { ...options(own), requestCert: true, rejectUnauthorized: true },
    (socket: TLSSocket) => {
      socket.end('ok');
    },
  );
  listener.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  try {
    return await new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...options(other) });
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('error', (error) => resolve(error.message));
      socket.on('close', () => resolve(text));
    });
  } finally {
    await new Promise((resolve) => listener.close(resolve));
  }
}

function options({ certificate, key, trust }: LeafMaterial) {
  return { cert: certificate, key, ca: trust };
}
