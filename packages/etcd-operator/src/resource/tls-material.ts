/**
 * The certificates of a cluster, as the Secrets hold them. The authority changes in three steps, so that every member
 * trusts both authorities while certificates of both are in use:
 * introduced (a next authority is trusted), switched (it issues, and the old one is still trusted), retired.
 *
 * An authority whose key is lost changes in the same steps. Its certificate is in the leaves, which cannot be issued until
 * the next authority does: one that is missing is replaced by another leaf of the lost authority.
 */
import { type CertificateIssuer, certificatesIn, type LeafTemplate, type PemPair } from './certificates.ts';

export interface AuthorityMaterial {
  /** With an empty key if that is lost: then these are all certificates that members trust, and the next one issues. */
  readonly current: PemPair;
  readonly next?: PemPair;
  readonly introducedAtMs?: number;
  /** The certificates of previous authorities, still trusted. */
  readonly old?: string;
  readonly switchedAtMs?: number;
}

export interface LeafMaterial extends PemPair {
  /** All authorities that are trusted. */
  readonly trust: string;
}

export type LeafName = 'server' | 'peer' | 'client';

type Templates = Readonly<Partial<Record<LeafName, LeafTemplate>>>;

export interface TlsMaterial {
  readonly authority?: AuthorityMaterial;
  /** An authority that is stored and that members do not trust, such as one of a backup: the next one. */
  readonly spare?: PemPair;
  readonly leaves: Readonly<Partial<Record<LeafName, LeafMaterial>>>;
}

export type TlsStep =
  | 'CreateAuthority'
  /** Writes the Secret of the authority again, with its finalizer. */
  | 'KeepAuthority'
  | 'RenewLeaves'
  | 'IntroduceAuthority'
  | 'SwitchAuthority'
  | 'RetireAuthority';

/** Renewed after this part of their life. */
const renewAfter = 2 / 3;
/** Number of authorities that are trusted after keys were lost: those that have issued leaves, and then the oldest. */
const trustedMax = 8;

/** In an order that stays the same when the next authority becomes the current one: members need no restart for that. */
export function trustOf({ current, next, old }: AuthorityMaterial): string {
  return bundleOf([...certificatesIn(old ?? ''), ...certificatesIn(current.certificate), next?.certificate ?? '']);
}

function bundleOf(pems: readonly string[]): string {
  return [...new Set(pems.map((pem) => pem.trim()).filter((pem) => pem !== ''))].join('\n').concat('\n');
}

export function isKeyLost({ current }: AuthorityMaterial): boolean {
  return current.key === '';
}

/**
 * The material without what cannot be used: an authority that is damaged, or has no key and no successor, is lost; one that
 * no leaf is of is a spare. Members of a cluster whose Secrets were restored from a backup do not trust it.
 */
export function usable(issuer: CertificateIssuer, { authority, leaves }: TlsMaterial): TlsMaterial {
  if (authority === undefined) return { leaves };
  const { current, next, introducedAtMs, old, switchedAtMs } = authority;
  const hasKey = issuer.isPair(current);
  const hasNext = next !== undefined && issuer.isPair(next);
  const trusted = certificatesIn(current.certificate).filter((pem) => issuer.inspect(pem) !== undefined);
  const former = certificatesIn(old ?? '').filter((pem) => issuer.inspect(pem) !== undefined);
  if (!hasKey && (!hasNext || trusted.length === 0)) return { leaves };
  const checked: AuthorityMaterial = {
    current: hasKey ? current : { certificate: bundleOf(trusted), key: '' },
    ...(hasNext ? { next } : {}),
    ...(hasNext && introducedAtMs !== undefined ? { introducedAtMs } : {}),
    ...(former.length > 0 ? { old: bundleOf(former) } : {}),
    ...(switchedAtMs === undefined ? {} : { switchedAtMs }),
  };
  const intact = Object.values(leaves).filter((leaf) => issuer.inspect(leaf.certificate) && issuer.isPair(leaf));
  const isOf = ({ certificate, trust }: LeafMaterial) =>
    issuer.isIssuedBy(certificate, trustOf(checked)) &&
    certificatesIn(trust).some((pem) => pem.trim() === current.certificate.trim());
  if (hasKey && intact.length > 0 && !intact.some(isOf)) return { spare: current, leaves };
  return { authority: checked, leaves };
}

/** Leaves that are missing, damaged, expiring, for other names, of another authority, or with another trust bundle. */
export function dueLeaves(
  issuer: CertificateIssuer,
  { authority, leaves }: TlsMaterial,
  templates: Templates,
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

/** Leaves that are missing or damaged and that no other leaf can replace while the key of their authority is lost. */
export function lostLeaves(
  issuer: CertificateIssuer,
  { authority, leaves }: TlsMaterial,
  templates: Templates,
  nowMs: number,
): readonly LeafName[] {
  if (authority && !isKeyLost(authority)) return [];
  const trusted = authority?.current.certificate ?? recoveredFrom(issuer, leaves);
  return namesIn(templates).filter((name) => replacementOf(issuer, leaves, name, trusted, nowMs) === undefined);
}

function isCurrent(
  issuer: CertificateIssuer,
  leaf: LeafMaterial,
  authority: AuthorityMaterial,
  template: LeafTemplate,
  nowMs: number,
): boolean {
  const { current } = authority;
  if (isKeyLost(authority)) return isAccepted(issuer, leaf, current.certificate, nowMs);
  const info = issuer.inspect(leaf.certificate);
  if (info === undefined || !issuer.isPair(leaf)) return false;
  if (!issuer.isIssuedBy(leaf.certificate, current.certificate)) return false;
  return !isDue(info, nowMs) && [...template.names].sort().join() === info.names.join();
}

/** Whether members that trust these authorities accept a leaf now. */
function isAccepted(issuer: CertificateIssuer, leaf: LeafMaterial, trusted: string, nowMs: number): boolean {
  const info = issuer.inspect(leaf.certificate);
  if (info === undefined || !issuer.isPair(leaf)) return false;
  return issuer.isIssuedBy(leaf.certificate, trusted) && info.fromMs <= nowMs && nowMs < info.toMs;
}

/** The leaf itself, or one that does for it: those of servers and peers are for both sides of a connection. */
function replacementOf(
  issuer: CertificateIssuer,
  leaves: TlsMaterial['leaves'],
  name: LeafName,
  trusted: string,
  nowMs: number,
): LeafMaterial | undefined {
  const candidates = [leaves[name], leaves.server, leaves.peer];
  return candidates.find((leaf) => leaf && isAccepted(issuer, leaf, trusted, nowMs));
}

/** The authorities that leaves name: what members trust, or are about to. */
function recoveredFrom(issuer: CertificateIssuer, leaves: TlsMaterial['leaves']): string {
  const all = Object.values(leaves);
  const pems = new Set(all.flatMap(({ trust }) => certificatesIn(trust).map((pem) => pem.trim())));
  const known = [...pems].filter((pem) => issuer.inspect(pem) !== undefined);
  const issuers = known.filter((pem) => all.some(({ certificate }) => issuer.isIssuedBy(certificate, pem)));
  const kept = new Set([...issuers, ...known].slice(0, trustedMax));
  return bundleOf(known.filter((pem) => kept.has(pem)));
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
  templates: Templates,
  nowMs: number,
): TlsMaterial {
  const { authority } = material;
  if (step === 'CreateAuthority' || authority === undefined) return created(issuer, material, templates, nowMs);
  const { current, next, introducedAtMs: _, old: __, switchedAtMs: ___, ...rest } = authority;
  switch (step) {
    case 'KeepAuthority':
      return { ...material, authority: { ...authority } };
    case 'IntroduceAuthority': {
      if (next) return material;
      return { ...material, authority: { ...authority, next: issuer.createAuthority(), introducedAtMs: nowMs } };
    }
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

/**
 * The first authority of a cluster, or the successor of one whose key is lost. Without leaves of the lost one it issues at
 * once, which only members that do not run accept.
 */
function created(issuer: CertificateIssuer, material: TlsMaterial, templates: Templates, nowMs: number): TlsMaterial {
  const { authority, spare, leaves } = material;
  if (authority && !isKeyLost(authority)) return material;
  const isNew = Object.keys(leaves).length === 0;
  const next = authority?.next ?? spare ?? issuer.createAuthority();
  if (isNew || lostLeaves(issuer, material, templates, nowMs).length > 0) {
    const first = { current: next };
    return { authority: first, leaves: isNew ? {} : renewed(issuer, { leaves: {} }, first, templates, nowMs) };
  }
  if (authority) return material;
  const current = { certificate: recoveredFrom(issuer, leaves), key: '' };
  return { authority: { current, next, introducedAtMs: nowMs }, leaves };
}

function renewed(
  issuer: CertificateIssuer,
  { leaves }: TlsMaterial,
  authority: AuthorityMaterial,
  templates: Templates,
  nowMs: number,
): TlsMaterial['leaves'] {
  const trust = trustOf(authority);
  const { current } = authority;
  const result: Partial<Record<LeafName, LeafMaterial>> = {};
  for (const name of namesIn(templates)) {
    const template = templates[name];
    const leaf = leaves[name];
    if (template === undefined) continue;
    if (leaf && isCurrent(issuer, leaf, authority, template, nowMs)) result[name] = { ...leaf, trust };
    else if (!isKeyLost(authority)) result[name] = { ...issuer.issue(current, template), trust };
    else {
      const other = replacementOf(issuer, leaves, name, current.certificate, nowMs);
      if (other) result[name] = { ...other, trust };
    }
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

function namesIn(templates: Templates): readonly LeafName[] {
  return (['server', 'peer', 'client'] as const).filter((name) => templates[name] !== undefined);
}
