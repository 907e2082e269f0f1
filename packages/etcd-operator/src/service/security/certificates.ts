/** Certificates: leaves are renewed at any time, because etcd reads them again; the authority only while all members serve. */
import type { TlsStep } from '../../resource/tls-material.ts';
import type { Decision, PassInput, PlannedEvent } from '../model.ts';
import { act, blocked, normal } from '../rule.ts';

export function certificates(input: PassInput): Decision | undefined {
  const { certificates } = input;
  if (certificates === undefined) return undefined;
  if (certificates.problem !== undefined) return blocked(input, 'CertificateInvalid', certificates.problem);
  const { hasAuthority, isKeyLost, isAuthorityKept, lost, due } = certificates;
  if (isKeyLost && lost.length > 0) return authorityLost(input, lost);
  if (!hasAuthority && isKeyLost) {
    const message = 'the key of the authority is lost: members and clients trust a new one before it issues';
    return step(input, 'CreateAuthority', message, { type: 'Warning', reason: 'AuthorityLost', message });
  }
  if (!hasAuthority) {
    if (isAnyRunning(input)) return authorityLost(input, lost);
    return step(input, 'CreateAuthority', 'the cluster has no authority yet');
  }
  if (!isAuthorityKept) return step(input, 'KeepAuthority', 'its Secret can be deleted');
  if (due.length === 0) return undefined;
  return step(input, 'RenewLeaves', `certificates to issue: ${due.join(', ')}`);
}

/**
 * Nothing that members trust is left in the Secrets. Running members have it, and clients with it are served: certificates
 * of a new authority would change that. So they are issued when no member runs.
 */
function authorityLost(input: PassInput, lost: readonly string[]): Decision | undefined {
  if (!isAnyRunning(input)) return step(input, 'CreateAuthority', 'no certificate of the lost authority is left');
  if (input.wanted.size === 0) return undefined;
  const names = lost.join(', ');
  const message = `the authority and certificates of it are lost: ${names}; members keep theirs until they restart. Restore one of these Secrets or that of the authority, or stop and start the cluster`;
  return blocked(input, 'AuthorityLost', message);
}

function isAnyRunning({ facts }: PassInput): boolean {
  return facts.slots.some(({ pod }) => pod !== undefined);
}

/** Changes the authority before it expires. Members are restarted in between: they read what they trust at start. */
export function authority(input: PassInput): Decision | undefined {
  const { certificates, facts, settings } = input;
  const isDelivered = (sinceMs = Number.NEGATIVE_INFINITY) => facts.nowMs >= sinceMs + settings.deliveryMs;
  switch (certificates?.rotation) {
    case 'Introduced': {
      if (!isDelivered(certificates.introducedAtMs)) return undefined;
      return step(input, 'SwitchAuthority', 'every member trusts the next authority');
    }
    case 'Switched': {
      if (!isDelivered(certificates.switchedAtMs)) return undefined;
      return step(input, 'RetireAuthority', 'every certificate is of the new authority');
    }
    default: {
      if (!certificates?.isAuthorityDue) return undefined;
      const why = 'the authority expires';
      return step(input, 'IntroduceAuthority', why, normal('CertificatesRenewed', `IntroduceAuthority: ${why}`));
    }
  }
}

function step(input: PassInput, step: TlsStep, why: string, event?: PlannedEvent): Decision {
  return act(input, { do: 'certificates', step, why }, { events: event ? [event] : [] });
}
