/** What the quickstart does to the simulated platform, and what it asks of it. */
import { collect, connect } from '@ecsm/client';

export function openPlatform(url) {
  const { ecsm, close } = connect({ url });

  /** Names of the instances of a service, those that run first. */
  async function instances({ status }) {
    if (status?.underlyingServiceID === undefined) return [];
    const rows = await collect(ecsm.containers().ofServices([status.underlyingServiceID]));
    const running = (row) => Number(row.status === 'running');
    return rows.sort((one, other) => running(other) - running(one));
  }

  /** A call that breaks something: `/sim/…`. */
  async function breakIt(method, path) {
    const answer = await fetch(`${url}${path}`, { method });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  }

  return { instances, breakIt, close };
}
