/** The object of the measurements: 2 KB of JSON, like a service with its environment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineKind, schema } from '@ecsm/runtime';

const { integer, list, object, optional, string } = schema;

export const Thing = defineKind({
  group: 'bench.ecsm.sh',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  spec: object({
    replicas: integer({ minimum: 0 }),
    image: string(),
    env: list(object({ name: string({ minLength: 1 }), value: string() }), { uniqueBy: 'name' }),
  }),
  status: object({ ready: optional(integer()) }),
  columns: [],
});

const env = Array.from({ length: 24 }, (_, n) => ({
  name: `VARIABLE_${n}`,
  value: `the value of variable number ${n}`.padEnd(36, '.'),
}));

export function thing(name: string, replicas = 1) {
  return { metadata: { name, labels: { app: name } }, spec: { replicas, image: 'telemetry@1.2.0#sylixos', env } };
}

export const key = (name: string) => `bench.ecsm.sh/v1/things/default/${name}`;

/** The bytes that the registry stores, for baselines that store bytes. */
export function thingBytes(name: string): Buffer {
  const uid = '00000000-0000-0000-0000-000000000000';
  const metadata = {
    ...thing(name).metadata,
    namespace: 'default',
    uid,
    generation: 1,
    creationTimestamp: '2030-01-01T00:00:00Z',
  };
  return Buffer.from(
    JSON.stringify({ apiVersion: 'bench.ecsm.sh/v1', kind: 'Thing', metadata, spec: thing(name).spec }),
  );
}

export async function inScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-bench-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs `count` calls, at most `concurrency` concurrently, and returns the calls per second. */
export async function rate(count: number, concurrency: number, call: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await call(next++);
    }),
  );
  return count / ((performance.now() - start) / 1000);
}
