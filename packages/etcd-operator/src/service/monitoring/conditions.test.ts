import { describe, expect, it } from 'vitest';
import type { Phase } from '../../apis/status-schema.ts';
import type { CertificateFacts, Decision, PassInput, Recorded } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { steadyCertificates } from '../pass-settings.kit.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { conditionsOf, phaseOf } from './conditions.ts';

function running(size = 3): ToyCluster {
  const toy = new ToyCluster();
  toy.wanted = { ...toy.wanted, size };
  toy.run();
  return toy;
}

/** Such as `Ready=False/Scaling`. */
function lines(input: PassInput, decision: Decision = nextAction(input)) {
  const found = conditionsOf(input, decision).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
  expect(found.pop()).toMatch(/^CertificatesReady=/u);
  return found;
}

const phase = (toy: ToyCluster, changes: Partial<Recorded> = {}, before?: Phase) => {
  const input = toy.input();
  const { problem } = nextAction(input);
  const decision = { recorded: { ...toy.recorded, ...changes }, events: [] };
  return phaseOf(input, { ...decision, ...(problem ? { problem } : {}) }, before);
};

const at = { startedAtMs: 0, slot: 2 };

describe('the conditions of a cluster', () => {
  it('that has not formed', () => {
    expect(lines(new ToyCluster().input())).toEqual([
      'Ready=False/Creating',
      'Available=False/Creating',
      'Progressing=True/Creating',
      'Degraded=False/AsExpected',
    ]);
  });

  it('that runs as its spec says', () => {
    expect(lines(running().input())).toEqual([
      'Ready=True/Running',
      'Available=True/Running',
      'Progressing=False/Complete',
      'Degraded=False/AsExpected',
    ]);
  });

  it('that is scaled', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 5 };
    toy.recorded = { ...toy.recorded, operation: { ...at, type: 'AddMember', slot: 3 } };
    expect(lines(toy.input())).toEqual([
      'Ready=False/Scaling',
      'Available=True/Running',
      'Progressing=True/Scaling',
      'Degraded=False/AsExpected',
    ]);
  });

  it('whose template changed', () => {
    const toy = running();
    toy.templateRevision = 2;
    expect(lines(toy.input())).toEqual([
      'Ready=False/Updating',
      'Available=True/Running',
      'Progressing=True/Updating',
      'Degraded=False/AsExpected',
    ]);
  });

  it('with a member that does not serve', () => {
    const toy = running();
    toy.unreachable.add(1);
    const input = toy.input();
    expect(lines(input)).toEqual([
      'Ready=False/WaitingForPod',
      'Available=True/Running',
      'Progressing=True/WaitingForPod',
      'Degraded=True/MemberUnhealthy',
    ]);
    const degraded = conditionsOf(input, nextAction(input)).find(({ type }) => type === 'Degraded');
    expect(degraded?.message).toBe('members that do not serve: main-1');
  });

  it('that lost its quorum', () => {
    const toy = running();
    toy.unreachable.add(1).add(2);
    toy.recorded = { ...toy.recorded, quorumLostAtMs: toy.nowMs - 60_000 };
    expect(lines(toy.input())).toEqual([
      'Ready=False/QuorumLost',
      'Available=False/QuorumLost',
      'Progressing=False/Complete',
      'Degraded=True/QuorumLost',
    ]);
  });

  it('whose members cannot be reached for a moment', () => {
    const toy = running();
    toy.unreachable.add(1).add(2);
    expect(lines(toy.input())[1]).toBe('Available=False/Unreachable');
  });

  it('that is recovered', () => {
    const toy = running();
    toy.dead.add(1).add(2);
    toy.recorded = { ...toy.recorded, recovery: { survivor: 0, phase: 'Stopping', startedAtMs: 0 } };
    expect(lines(toy.input())).toEqual([
      'Ready=False/Recovering',
      'Available=False/Recovering',
      'Progressing=True/Recovering',
      'Degraded=True/MemberUnhealthy',
    ]);
  });

  it('that is stopped, and one that starts again', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 0 };
    toy.run();
    expect(lines(toy.input())).toEqual([
      'Ready=False/Stopped',
      'Available=False/Stopped',
      'Progressing=False/Stopped',
      'Degraded=False/AsExpected',
    ]);
    toy.wanted = { ...toy.wanted, size: 3 };
    expect(lines(toy.input())[1]).toBe('Available=False/Starting');
  });

  it('that is paused', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, isPaused: true, size: 5 };
    expect(lines(toy.input()).slice(0, 3)).toEqual([
      'Ready=False/Paused',
      'Available=True/Running',
      'Progressing=False/Paused',
    ]);
  });

  it.each([
    ['RemoveMember', 'Scaling'],
    ['ReplaceMember', 'Repairing'],
    ['Restart', 'Updating'],
    ['Upgrade', 'Upgrading'],
    ['Bootstrap', 'Creating'],
  ] as const)('that an operation %s is recorded for', (type, reason) => {
    const toy = running();
    const recorded = { ...toy.recorded, operation: { ...at, type } };
    const decision = { recorded, events: [] };
    expect(lines(toy.input(), decision)).toContain(`Progressing=True/${reason}`);
  });
});

describe('the condition of certificates', () => {
  const steady = steadyCertificates;
  it.each<[string, CertificateFacts | undefined]>([
    ['True/TLSDisabled', undefined],
    ['True/CertificatesValid', steady],
    ['True/CertificateRotating', { ...steady, rotation: 'Introduced' }],
    ['False/CertificatesIssuing', { ...steady, due: ['main-peer-tls'] }],
    ['False/CertificatesIssuing', { ...steady, hasAuthority: false }],
    ['False/AuthorityLost', { ...steady, hasAuthority: false, isKeyLost: true }],
    ['False/AuthorityLost', { ...steady, isKeyLost: true, rotation: 'Introduced' }],
    ['False/CertificateInvalid', { ...steady, problem: 'it has expired' }],
  ])('%s', (expected, certificates) => {
    const input = { ...running(1).input(), ...(certificates ? { certificates } : {}) };
    const { status, reason } = conditionsOf(input, nextAction(input)).at(-1) ?? {};
    expect(`${status}/${reason}`).toBe(expected);
  });
});

it('the condition of certificates says when the authority is replaced whose key is lost', () => {
  const messageOf = (certificates: Partial<CertificateFacts>) => {
    const input = { ...running().input(), certificates: { ...steadyCertificates, isKeyLost: true, ...certificates } };
    return conditionsOf(input, nextAction(input)).at(-1)?.message;
  };
  expect(messageOf({ rotation: 'Introduced', introducedAtMs: Date.UTC(2026, 0, 1) })).toBe(
    'the key of the authority is lost; a new one issues after 2026-01-01T00:10:00Z, when members and clients trust it',
  );
  expect(messageOf({ hasAuthority: false })).toBe(
    'the key of the authority is lost; members and clients trust a new one soon',
  );
  expect(messageOf({ lost: ['main-server-tls', 'main-peer-tls'] })).toBe(
    'the key of the authority is lost; the condition Degraded says what to do',
  );
});

it('the condition of certificates says which members refuse the operator, or are refused by it', () => {
  const { facts, ...input } = running().input();
  const slots = facts.slots.map((slot) =>
    slot.index === 1 ? { ...slot, isUntrusted: true, statusError: 'alert unknown ca' } : slot,
  );
  const untrusted = { ...input, facts: { ...facts, slots }, certificates: steadyCertificates };
  expect(conditionsOf(untrusted, nextAction(untrusted)).at(-1)).toMatchObject({
    status: 'False',
    reason: 'CertificateUntrusted',
    message: 'members and the operator do not accept each other: main-1: alert unknown ca',
  });
});

describe('the phase', () => {
  it('is Creating until the cluster has its size for the first time', () => {
    expect(phase(new ToyCluster())).toBe('Creating');
    const toy = running(1);
    toy.wanted = { ...toy.wanted, size: 3 };
    expect(phase(toy, {}, 'Creating')).toBe('Creating');
    expect(phase(running(), {}, 'Creating')).toBe('Running');
  });

  it.each([
    ['AddMember', 'Scaling'],
    ['RemoveMember', 'Scaling'],
    ['Upgrade', 'Upgrading'],
    ['Restart', 'Running'],
    ['ReplaceMember', 'Running'],
  ] as const)('during %s is %s', (type, expected) => {
    expect(phase(running(), { operation: { ...at, type } }, 'Running')).toBe(expected);
  });

  it('is Recovering during a recovery, and Deleting above all', () => {
    const toy = running();
    const recovery = { survivor: 0, phase: 'Forcing', startedAtMs: 0 } as const;
    expect(phase(toy, { recovery }, 'Running')).toBe('Recovering');
    toy.wanted = { ...toy.wanted, isDeleting: true };
    expect(phase(toy, { recovery }, 'Running')).toBe('Deleting');
  });

  it('is Stopped when no pod is left, and Scaling before', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 0 };
    const stopped = { start: 0, size: 3 };
    expect(phase(toy, { stopped }, 'Running')).toBe('Scaling');
    toy.run();
    expect(phase(toy, {}, 'Scaling')).toBe('Stopped');
    const never = new ToyCluster();
    never.wanted = { ...never.wanted, size: 0 };
    expect(phase(never)).toBe('Stopped');
  });

  it('is Failed if nothing helps but a person', () => {
    const toy = running();
    toy.unreachable.add(1).add(2);
    toy.recorded = { ...toy.recorded, quorumLostAtMs: toy.nowMs - 60_000 };
    expect(phase(toy, {}, 'Running')).toBe('Failed');
  });
});
