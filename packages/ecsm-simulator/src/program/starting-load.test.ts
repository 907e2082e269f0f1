import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Simulator } from '../http/simulator.ts';
import { deployServices } from './starting-load.ts';

describe('services at the start', () => {
  it('are all deployed, or those that a platform which refuses has room for', () => {
    const simulate = (outOfMemory: 'failDeployment' | 'refuse') => {
      const behaviour = { outOfMemory, capacityAccounting: 'limit' } as const;
      const simulator = new Simulator({ clock: new VirtualClock(), random: new SeededRandom(1), nodes: 1, behaviour });
      const deployed = deployServices(simulator.platform, 200);
      expect(simulator.platform.services()).toHaveLength(deployed);
      return deployed;
    };
    expect(simulate('failDeployment')).toBe(200);
    // 7.5 GiB hold 160 services of three instances with 16 MiB each.
    expect(simulate('refuse')).toBe(160);
  });
});
