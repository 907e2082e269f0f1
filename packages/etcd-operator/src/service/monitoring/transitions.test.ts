import { describe, expect, it } from 'vitest';
import type { EtcdClusterStatus } from '../../apis/etcd-cluster.ts';
import { transitions } from './transitions.ts';

function status(...conditions: readonly (readonly [type: string, status: 'True' | 'False', reason: string])[]) {
  return {
    conditions: conditions.map(([type, is, reason]) => ({
      type,
      status: is,
      reason,
      message: `because of ${reason}`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  } satisfies EtcdClusterStatus;
}

const fine = status(
  ['Ready', 'True', 'Running'],
  ['Available', 'True', 'Running'],
  ['Degraded', 'False', 'AsExpected'],
);
const lost = status(
  ['Ready', 'False', 'QuorumLost'],
  ['Available', 'False', 'QuorumLost'],
  ['Degraded', 'True', 'QuorumLost'],
);

describe('transitions', () => {
  it('warns when a problem begins, and not again while it stays', () => {
    expect(transitions(fine, lost)).toEqual([
      { type: 'Warning', reason: 'QuorumLost', message: 'because of QuorumLost' },
    ]);
    expect(transitions(lost, lost)).toEqual([]);
  });

  it('warns when one problem follows another', () => {
    const blocked = status(['Degraded', 'True', 'UpgradeBlocked']);
    expect(transitions(lost, blocked)).toMatchObject([{ type: 'Warning', reason: 'UpgradeBlocked' }]);
  });

  it('reports that the quorum is back, and that the cluster is ready', () => {
    expect(transitions(lost, fine).map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Normal QuorumRestored',
      'Normal ClusterReady',
    ]);
  });

  it('reports a new cluster only when it is ready', () => {
    const creating = status(['Ready', 'False', 'Creating'], ['Available', 'False', 'Creating']);
    expect(transitions(undefined, creating)).toEqual([]);
    expect(transitions(creating, fine).map(({ reason }) => reason)).toEqual(['ClusterReady']);
    expect(transitions(fine, fine)).toEqual([]);
  });
});
