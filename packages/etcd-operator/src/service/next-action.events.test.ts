/** What users read in the events of a cluster: every change of the members says once what it did, and to which. */
import { describe, expect, it } from 'vitest';
import { ToyCluster } from './toy-cluster.kit.ts';

function eventsOf(change: (cluster: ToyCluster) => void, size = 3): string[] {
  const cluster = new ToyCluster();
  cluster.wanted = { ...cluster.wanted, size };
  cluster.run();
  cluster.events.length = 0;
  change(cluster);
  cluster.run();
  return cluster.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const sized = (size: number) => (cluster: ToyCluster) => {
  cluster.wanted = { ...cluster.wanted, size };
};

describe('the events', () => {
  it('of a larger and of a smaller cluster name each member', () => {
    expect(eventsOf(sized(5))).toEqual([
      'Normal MemberPromoted: main-3 is a voting member',
      'Normal MemberPromoted: main-4 is a voting member',
    ]);
    expect(eventsOf(sized(1))).toEqual([
      'Normal MemberRemoved: main-2 was removed',
      'Normal MemberRemoved: main-1 was removed',
    ]);
  });

  it('of a stop and a start say how many members they are about', () => {
    const stopped = eventsOf(sized(0));
    expect(stopped).toEqual(['Normal ClusterStopped: stopping 3 members; their volumes are kept']);
    const both = eventsOf((cluster) => {
      sized(0)(cluster);
      cluster.run();
      sized(3)(cluster);
    });
    expect(both).toEqual([...stopped, 'Normal ClusterStarted: 3 members started']);
  });

  it('of a replacement say why', () => {
    expect(
      eventsOf((cluster) => {
        cluster.volumes.delete(1);
        cluster.pods.delete(1);
      }),
    ).toEqual([
      'Warning MemberReplaced: replacing main-1: its volume was deleted',
      'Normal MemberPromoted: main-1 is a voting member again',
    ]);
    expect(
      eventsOf((cluster) => {
        const pod = cluster.pods.get(2);
        if (pod) pod.isBroken = true;
      })[0],
    ).toBe('Warning MemberReplaced: replacing main-2: its container does not start (9 restarts)');
  });

  it('of a restore say that all members stop, and of a new cluster nothing of it', () => {
    const restore = (cluster: ToyCluster) => {
      cluster.wanted = { ...cluster.wanted, restore: { name: 'back', uid: 'r1', step: 'Stopping' } };
    };
    expect(eventsOf(restore)).toEqual(['Warning RestoreStarted: EtcdRestore back replaces the data: all members stop']);
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, restore: { name: 'back', uid: 'r1', step: 'Creating' } };
    cluster.run();
    expect(cluster.events).toEqual([]);
    expect(cluster.recorded.restore?.former).toEqual({ start: 0, size: 0, volumes: {} });
  });

  it('of a cluster at rest are none', () => {
    expect(eventsOf(() => {})).toEqual([]);
  });
});
