/** Calls of the quickstart to the simulated platform. */
import { collect, connect } from '@ecsm/client';

export function openPlatform(url) {
  const { ecsm, close } = connect({ url });

  /** The instances of a service, running ones first. */
  async function instances({ status }) {
    if (status?.underlyingServiceID === undefined) return [];
    const rows = await collect(ecsm.containers().ofServices([status.underlyingServiceID]));
    const running = (row) => Number(row.status === 'running');
    return rows.sort((one, other) => running(other) - running(one));
  }

  /** Injects a fault through the control API (`/sim/…`). */
  async function breakIt(method, path) {
    const response = await fetch(`${url}${path}`, { method });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  }

  return { instances, breakIt, close };
}
