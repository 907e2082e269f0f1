/** Certificates: leaves are renewed at any time, because etcd reads them again; the authority only while all members serve. */
import type { EventReason } from '../../apis/reasons.ts';
import type { TlsStep } from '../../resource/tls-material.ts';
import type { Decision, PassInput } from '../model.ts';
import { act, blocked, normal } from '../rule.ts';

/** Time for nodes to deliver new certificates to running pods, before the old authority is not trusted any more. */
const deliveryMs = 600_000;

export function certificates(input: PassInput): Decision | undefined {
  const { certificates } = input;
  if (certificates === undefined) return undefined;
  if (certificates.problem !== undefined) return blocked(input, 'CertificateInvalid', certificates.problem);
  if (!certificates.hasAuthority) return step(input, 'CreateAuthority', 'the cluster has no authority yet');
  if (certificates.due.length === 0) return undefined;
  return step(input, 'RenewLeaves', `certificates to issue: ${certificates.due.join(', ')}`);
}

/** Changes the authority before it expires. Members are restarted in between: they read what they trust at start. */
export function authority(input: PassInput): Decision | undefined {
  const { certificates, facts } = input;
  switch (certificates?.rotation) {
    case 'Introduced':
      return step(input, 'SwitchAuthority', 'every member trusts the next authority');
    case 'Switched': {
      if (facts.nowMs < (certificates.switchedAtMs ?? 0) + deliveryMs) return undefined;
      return step(input, 'RetireAuthority', 'every certificate is of the new authority');
    }
    default:
      if (!certificates?.isAuthorityDue) return undefined;
      return step(input, 'IntroduceAuthority', 'the authority expires', 'CertificatesRenewed');
  }
}

function step(input: PassInput, step: TlsStep, why: string, event?: EventReason): Decision {
  const events = event === undefined ? [] : [normal(event, `${step}: ${why}`)];
  return act(input, { do: 'certificates', step, why }, { events });
}
