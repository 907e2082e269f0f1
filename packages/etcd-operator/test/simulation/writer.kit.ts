/** A client that writes all the time, through any member. The simulated etcd remembers what it acknowledged. */
import { sleep } from '@ecsm/runtime';
import { isEtcdError } from '../../src/client/etcd/error.ts';
import type { World } from './world.kit.ts';

const keys = 3;

export class Writer {
  readonly #world: World;
  written = 0;

  constructor(world: World) {
    this.#world = world;
  }

  async run(): Promise<void> {
    const { simulation, etcd, view, random, watchdog, pace } = this.#world;
    const client = etcd.connect(undefined);
    for (let count = 0; ; count++) {
      await sleep(simulation.clock, pace.writeMs);
      const addresses = view.pods.flatMap(({ status }) => (status?.podIP === undefined ? [] : [status.podIP]));
      // Clients are told to stop during a restore: what they write may be on either side of it.
      if (addresses.length === 0 || view.cluster?.status?.restore) continue;
      const address = random.pick(addresses);
      try {
        await client.put({ host: address, address, port: 2379 }, `${watchdog.epoch}/${count % keys}`, `${count}`, {
          timeoutMs: 2_000,
        });
        this.written++;
      } catch (error) {
        if (!isEtcdError(error)) throw error;
      }
    }
  }
}
