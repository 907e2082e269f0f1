/**
 * States that an earlier version of the operator has stored, in the middle of everything that takes several passes: each
 * with its objects, the data of its members and the stored backups, as of a write of a status in its simulation. The
 * operator continues all of them, some of them from registries that the earlier version has written.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type EmbeddedRegistry, type Entry, openRegistry } from '@ecsm/runtime';
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { afterEach, describe, expect, it } from 'vitest';
import type { EtcdBackup } from '../../src/apis/etcd-backup.ts';
import type { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import type { DataDirectory } from '../../src/client/etcd/simulated/model.kit.ts';
import { allOver } from './backup-stories.kit.ts';
import { etcdScenario } from './scenario.kit.ts';
import { restoreStored, type StoredCluster } from './settled.kit.ts';
import { gone, type Story } from './stories.kit.ts';
import { kinds, type World } from './world.kit.ts';

interface UnfinishedState {
  readonly name: string;
  readonly ageMs: number;
  readonly addresses: number;
  readonly voters: readonly string[];
  /** By key. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** By uid of the claim. */
  readonly volumes: Readonly<Record<string, DataDirectory>>;
  readonly stored: Readonly<Record<string, string>>;
}

interface StoredRegistry {
  readonly scheme: 'sqlite' | 'file';
  /** The state that it has. */
  readonly name: string;
  /** By path; one character is one byte. */
  readonly files: Readonly<Record<string, string>>;
}

/** Not one of the runs that the states are from: uids of theirs must not be generated again. */
const seed = 2_000_000_017;
const clusterKey = 'etcd.ecsm.sh/v1alpha1/etcdclusters/default/main';
const states = read<UnfinishedState>('unfinished.json.br');
const registries = read<StoredRegistry>('unfinished-registries.json.br');

function read<T>(name: string): readonly T[] {
  const text = brotliDecompressSync(readFileSync(new URL(name, import.meta.url))).toString();
  // Revisions are the only numbers that JSON does not have.
  return JSON.parse(text, (key, value) => (key === 'change' && value.type === 'compact' ? compaction(value) : value));
}

function compaction({ revision, ...change }: { readonly revision: string }) {
  return { ...change, revision: BigInt(revision.slice(0, -1)) };
}

/** Loads a state and continues it until nothing is left to do. */
function continued(state: UnfinishedState, entries = entriesOf(state)): Promise<RunResult> {
  const { objects, stored, volumes } = state;
  const { spec, metadata } = objects[clusterKey] as EtcdCluster;
  const cluster: StoredCluster = { ...state, uid: metadata.uid, entries, volumes: new Map(Object.entries(volumes)) };
  const isBackup = ([key]: readonly [string, unknown]) => key.includes('/etcdbackups/');
  const backups = Object.entries(objects)
    .filter(isBackup)
    .map(([, value]) => value as EtcdBackup);
  let world: World | undefined;
  const story: Story = {
    name: state.name,
    why: metadata.deletionTimestamp === undefined ? allOver : gone,
    async tell(users) {
      if (world === undefined) throw new TypeError('there is no world');
      for (const [key, text] of Object.entries(stored)) world.storage.plant(key, text);
      await restoreStored(world, cluster);
      if (spec.paused) await users.edit({ paused: false });
      // A schedule ends when it is suspended.
      const schedule = backups.find((backup) => backup.spec.schedule !== undefined);
      if (schedule === undefined) return;
      await users.wait(150_000);
      await users.editBackup(schedule.metadata.name, { suspend: true });
    },
  };
  const watch = (of: World) => {
    world = of;
  };
  return runScenario(etcdScenario(story, { isDuel: false, watch }), seed, []);
}

function entriesOf({ objects }: UnfinishedState): StoredCluster['entries'] {
  return Object.entries(objects).map(([key, value]) => ({ key, value: Buffer.from(JSON.stringify(value)) }));
}

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

describe('a state that an earlier version has stored', () => {
  it.each(states)('continues to rest: $name', async (state) => {
    const result = await continued(state);
    expect(result.failure, shown(result)).toBeUndefined();
  });

  it.each(states.filter(({ name }) => name === 'rest' || name === 'rest with TLS'))(
    'causes nothing but a status: $name',
    async (state) => {
      const { journal } = await continued(state);
      // Its members start with the run, which its status says. Their pods are not restarted.
      const isStatus = (name: string) => name === `commit put ${clusterKey}` || name.includes('/events/');
      const changes = journal.effects.filter(({ kind, name }) => kind === 'write' && !isStatus(name));
      expect(changes.map(({ name }) => name)).toEqual([]);
    },
  );
});

describe.each(registries)('a registry of an earlier version: $scheme, $name', ({ scheme, name, files }) => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-unfinished-'));
  let registry: EmbeddedRegistry | undefined;

  afterEach(async () => {
    await registry?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is opened with its objects, which continue to rest', async () => {
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), bytes, 'latin1');
    }
    registry = await openRegistry(`${scheme}:${directory}`, { kinds });
    const { entries } = await registry.store.list('');
    const state = states.find((one) => one.name === name);
    if (state === undefined) throw new RangeError(`there is no state called ${name}`);
    const objects = entries.map((entry: Entry) => [entry.key, JSON.parse(new TextDecoder().decode(entry.value))]);
    expect(Object.fromEntries(objects)).toEqual(state.objects);
    const result = await continued(state, entries);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});
