/**
 * The certificates of a cluster, as the Secrets hold them. The authority changes in three steps, so that every member
 * trusts both authorities while certificates of both are in use:
 * introduced (a next authority is trusted), switched (it issues, and the old one is still trusted), retired.
 */
import { type CertificateIssuer, certificatesIn, type LeafTemplate, type PemPair } from './certificates.ts';

export interface AuthorityMaterial {
  readonly current: PemPair;
  readonly next?: PemPair;
  /** The certificate of the previous authority, still trusted. */
  readonly old?: string;
  readonly switchedAtMs?: number;
}

export interface LeafMaterial extends PemPair {
  /** All authorities that are trusted. */
  readonly trust: string;
}

export type LeafName = 'server' | 'peer' | 'client';

export interface TlsMaterial {
  readonly authority?: AuthorityMaterial;
  readonly leaves: Readonly<Partial<Record<LeafName, LeafMaterial>>>;
}

export type TlsStep = 'CreateAuthority' | 'RenewLeaves' | 'IntroduceAuthority' | 'SwitchAuthority' | 'RetireAuthority';

/** Renewed after this part of their life. */
const renewAfter = 2 / 3;

export function trustOf({ current, next, old }: AuthorityMaterial): string {
  return [current.certificate, next?.certificate, old]
    .flatMap((pem) => (pem === undefined ? [] : [pem.trim()]))
    .join('\n')
    .concat('\n');
}

/** Leaves that are missing, damaged, expiring, for other names, of another authority, or with another trust bundle. */
export function dueLeaves(
  issuer: CertificateIssuer,
  { authority, leaves }: TlsMaterial,
  templates: Readonly<Partial<Record<LeafName, LeafTemplate>>>,
  nowMs: number,
): readonly LeafName[] {
  if (authority === undefined) return [];
  const trust = trustOf(authority);
  return namesIn(templates).filter((name) => {
    const leaf = leaves[name];
    const template = templates[name];
    if (leaf === undefined || template === undefined || leaf.trust !== trust) return true;
    return !isCurrent(issuer, leaf, authority, template, nowMs);
  });
}

function isCurrent(
  issuer: CertificateIssuer,
  leaf: LeafMaterial,
  authority: AuthorityMaterial,
  template: LeafTemplate,
  nowMs: number,
): boolean {
  const info = issuer.inspect(leaf.certificate);
  if (info === undefined || !issuer.isPair(leaf)) return false;
  if (!issuer.isIssuedBy(leaf.certificate, authority.current.certificate)) return false;
  return !isDue(info, nowMs) && [...template.names].sort().join() === info.names.join();
}

/** One that is not valid yet was issued while the clock was ahead, and is not accepted now. */
function isDue({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }, nowMs: number): boolean {
  return nowMs < fromMs || nowMs >= fromMs + (toMs - fromMs) * renewAfter;
}

export function isAuthorityDue(issuer: CertificateIssuer, { current }: AuthorityMaterial, nowMs: number): boolean {
  const info = issuer.inspect(current.certificate);
  return info === undefined || isDue(info, nowMs);
}

/** The material after a step. */
export function afterStep(
  issuer: CertificateIssuer,
  material: TlsMaterial,
  step: TlsStep,
  templates: Readonly<Partial<Record<LeafName, LeafTemplate>>>,
  nowMs: number,
): TlsMaterial {
  const { authority } = material;
  if (step === 'CreateAuthority' || authority === undefined) {
    return authority ? material : { ...material, authority: { current: issuer.createAuthority() } };
  }
  const { current, next, old: _, switchedAtMs: __, ...rest } = authority;
  switch (step) {
    case 'IntroduceAuthority':
      return next ? material : { ...material, authority: { ...authority, next: issuer.createAuthority() } };
    case 'SwitchAuthority': {
      if (next === undefined) return material;
      return { ...material, authority: { ...rest, current: next, old: current.certificate, switchedAtMs: nowMs } };
    }
    case 'RetireAuthority':
      return { ...material, authority: { ...rest, current } };
    default:
      return { ...material, leaves: renewed(issuer, material, authority, templates, nowMs) };
  }
}

function renewed(
  issuer: CertificateIssuer,
  { leaves }: TlsMaterial,
  authority: AuthorityMaterial,
  templates: Readonly<Partial<Record<LeafName, LeafTemplate>>>,
  nowMs: number,
): TlsMaterial['leaves'] {
  const trust = trustOf(authority);
  const result: Partial<Record<LeafName, LeafMaterial>> = {};
  for (const name of namesIn(templates)) {
    const template = templates[name];
    const leaf = leaves[name];
    if (template === undefined) continue;
    const isKept = leaf !== undefined && isCurrent(issuer, leaf, authority, template, nowMs);
    result[name] = { ...(isKept ? leaf : issuer.issue(authority.current, template)), trust };
  }
  return result;
}

/** When the first certificate in use expires. */
export function expiryOf(issuer: CertificateIssuer, { authority, leaves }: TlsMaterial): number | undefined {
  const pems = [
    ...Object.values(leaves).map(({ certificate }) => certificate),
    ...(authority ? [authority.current.certificate] : []),
  ];
  const times = pems.flatMap((pem) => issuer.inspect(certificatesIn(pem)[0] ?? pem)?.toMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

function namesIn(templates: Readonly<Partial<Record<LeafName, LeafTemplate>>>): readonly LeafName[] {
  return (['server', 'peer', 'client'] as const).filter((name) => templates[name] !== undefined);
}
