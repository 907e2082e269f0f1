/** The settings of passes in tests, which are the defaults of the operator, and certificates with which there is nothing to do. */
import type { CertificateFacts, PassSettings } from './model.ts';

export const steadyCertificates: CertificateFacts = {
  hasAuthority: true,
  isKeyLost: false,
  isAuthorityKept: true,
  due: [],
  lost: [],
  isAuthorityDue: false,
  rotation: 'Steady',
};

export const settings: PassSettings = {
  learnerDeadlineMs: 600_000,
  quorumGraceMs: 60_000,
  restartsMax: 5,
  spaceCycleMs: 600_000,
  deliveryMs: 600_000,
  parkedMs: 86_400_000,
  busyMs: 1_000,
  restMs: 30_000,
};
