/** Section 1.1 of the reference: an address is all that it takes to reach the platform. */
import { type Connection, connect } from '@ecsm/client';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Simulator } from '../../src/http/simulator.ts';

describe('a connection', () => {
  const simulator = new Simulator({ clock: new VirtualClock(), random: new SeededRandom(1), nodes: 1 });
  const connections: Connection[] = [];
  let url = '';
  beforeEach(async () => {
    ({ url } = await simulator.listen({ port: 0 }));
  });
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
    await simulator.close();
  });

  const reached = (options: Partial<Parameters<typeof connect>[0]> = {}) => {
    const connection = connect({ url, ...options });
    connections.push(connection);
    return connection.ecsm.nodes().byName('node-1');
  };

  it('needs no credentials, and accepts them', async () => {
    expect(await reached()).toMatchObject({ name: 'node-1', status: 'online' });
    expect(await reached({ headers: () => ({ authorization: 'Bearer x' }) })).toMatchObject({ name: 'node-1' });
  });

  it('finds nothing outside the path of the API', async () => {
    await expect(reached({ basePath: '/api/v2' })).rejects.toMatchObject({ code: 'NotFound' });
  });
});
