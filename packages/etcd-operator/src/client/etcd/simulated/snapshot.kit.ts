/** The snapshot of a simulated member: its state as JSON, with the length and the checksum of a real one. */
import { createHash } from 'node:crypto';
import type { EtcdSnapshot } from '../contract.ts';
import { minorOf } from './model.kit.ts';
import type { EtcdProcess } from './process.kit.ts';

const sectorBytes = 512;

/** What the snapshot contains. */
interface SimulatedSnapshot {
  readonly clusterId: string;
  readonly revision: string;
  readonly hashKV: string;
  /** Key and value. */
  readonly keys: readonly (readonly [string, string])[];
}

/** The same state has the same bytes. */
export function snapshotOf({ data, state, options: { version } }: EtcdProcess): EtcdSnapshot {
  const content: SimulatedSnapshot = {
    clusterId: data.clusterId,
    revision: String(state.revision),
    hashKV: state.hashAt(0n),
    keys: [...state.keys].map(([key, { value }]) => [key, value] as const),
  };
  const text = Buffer.from(JSON.stringify(content));
  const body = Buffer.alloc(Math.ceil(text.byteLength / sectorBytes) * sectorBytes, ' ');
  body.set(text);
  const trailer = createHash('sha256').update(body).digest();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield body;
    yield trailer;
  }
  return {
    sizeBytes: body.byteLength + trailer.byteLength,
    version: minorOf(version) < 6 ? '' : `3.${minorOf(version)}.0`,
    chunks: chunks(),
  };
}
