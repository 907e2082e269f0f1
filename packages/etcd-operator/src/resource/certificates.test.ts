import { Authority, generateAuthority } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { x509Issuer } from './certificates.ts';

const dayMs = 86_400_000;
const issuer = x509Issuer(systemClock);
const root = generateAuthority(systemClock);
const rootAuthority = new Authority(root, systemClock);
const names = ['*.main-peer.default.svc'];
const leafOf = (authority: Authority) =>
  authority.issue({ subject: { commonName: 'mine' }, use: 'peer', names }, dayMs);

describe('a certificate', () => {
  it('is of the authority that issued it, and of no other one', () => {
    const { certificatePem } = leafOf(rootAuthority);
    const other = generateAuthority(systemClock).certificatePem;
    expect(issuer.isIssuedBy(certificatePem, root.certificatePem)).toBe(true);
    expect(issuer.isIssuedBy(certificatePem, other)).toBe(false);
    expect(issuer.isIssuedBy(certificatePem, `${other}${root.certificatePem}`)).toBe(true);
    expect(issuer.isIssuedBy('text', root.certificatePem)).toBe(false);
  });

  it('may be issued by an intermediate that follows it, as certificates of cert-manager are', () => {
    const middle = rootAuthority.issue({ subject: { commonName: 'middle' }, use: 'authority', names: [] }, dayMs);
    const leaf = leafOf(new Authority(middle, systemClock));
    const chain = `${leaf.certificatePem}${middle.certificatePem}`;
    expect(issuer.isIssuedBy(chain, root.certificatePem)).toBe(true);
    expect(issuer.isIssuedBy(leaf.certificatePem, root.certificatePem)).toBe(false);
    expect(issuer.isPair({ certificate: chain, key: leaf.keyPem })).toBe(true);
    expect(issuer.isPair({ certificate: chain, key: middle.keyPem })).toBe(false);
    expect(issuer.inspect(chain)?.names).toEqual(names);
  });
});
