import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Authority, generateAuthority } from './authority.ts';
import { formatKeyPair, parseKeyPair } from './key-pair.ts';

const dayMs = 86_400_000;
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

describe('an authority that is not stored in a file', () => {
  it('issues certificates whose purposes follow from their use', () => {
    const authority = new Authority(generateAuthority(new VirtualClock()), new VirtualClock());
    const issue = (use: 'server' | 'client' | 'peer') =>
      authority.issue({ subject: { commonName: 'main-0' }, use, names: ['main-0.main-peer', '127.0.0.1'] }, dayMs);
    expect(issue('peer').certificate.keyUsage).toEqual([serverAuth, clientAuth]);
    expect(issue('server').certificate.keyUsage).toEqual([serverAuth]);
    expect(issue('client').certificate.keyUsage).toEqual([clientAuth]);
    expect(issue('peer').certificate.checkHost('main-0.main-peer', { subject: 'never' })).toBeDefined();
  });

  it('is the same after its key pair was written and read', () => {
    const pair = generateAuthority(new VirtualClock());
    const issued = new Authority(pair, new VirtualClock()).issue(
      { subject: { commonName: 'a' }, use: 'client' },
      dayMs,
    );
    const read = new Authority(parseKeyPair('the secret', formatKeyPair(pair)), new VirtualClock());
    expect(read.hasIssued(issued)).toBe(true);
    const other = new Authority(generateAuthority(new VirtualClock()), new VirtualClock());
    expect(other.hasIssued(issued)).toBe(false);
  });
});
