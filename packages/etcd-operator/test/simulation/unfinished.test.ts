/**
 * States that an earlier version of the operator has stored, in the middle of everything that takes several passes: each
 * with its objects, the data of its members and the stored backups, as of a write of a status in its simulation. The
 * operator continues all of them.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import type { EtcdBackup } from '../../src/apis/etcd-backup.ts';
import type { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import type { Change, DataDirectory } from '../../src/client/etcd/simulated/model.kit.ts';
import { allOver } from './backup-stories.kit.ts';
import { etcdScenario } from './scenario.kit.ts';
import { restoreStored, type StoredCluster } from './settled.kit.ts';
import { gone, type Story } from './stories.kit.ts';
import type { World } from './world.kit.ts';

interface UnfinishedState {
  readonly name: string;
  readonly ageMs: number;
  readonly addresses: number;
  readonly voters: readonly string[];
  readonly objects: Readonly<Record<string, unknown>>;
  /** By uid of the claim. */
  readonly volumes: Readonly<Record<string, DataDirectory>>;
  readonly stored: Readonly<Record<string, string>>;
}

/** Not one of the runs that the states are from: uids of theirs must not be generated again. */
const seed = 2_000_000_017;
const file = new URL('unfinished.json.br', import.meta.url);
const states: readonly UnfinishedState[] = JSON.parse(brotliDecompressSync(readFileSync(file)).toString());
const clusterKey = 'etcd.ecsm.sh/v1alpha1/etcdclusters/default/main';
const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

function clusterOf({ objects, volumes, ...rest }: UnfinishedState): StoredCluster {
  const entries = Object.entries(objects).map(([key, value]) => ({ key, value: Buffer.from(JSON.stringify(value)) }));
  const uid = (objects[clusterKey] as EtcdCluster).metadata.uid;
  return { ...rest, uid, entries, volumes: new Map(Object.entries(volumes)) };
}

/** Revisions are numbers that JSON does not have. */
function withRevisions(data: DataDirectory): DataDirectory {
  const log = data.log.map(({ term, change }) => {
    const isCompaction = change.type === 'compact';
    return {
      term,
      change: isCompaction
        ? ({ ...change, revision: BigInt(parseInt(String(change.revision), 10)) } satisfies Change)
        : change,
    };
  });
  return { ...data, log };
}

/** Nothing is done for a cluster at rest: pods that were rendered before are not restarted. */
const isAtRest = (name: string) => name === 'rest' || name === 'rest with TLS';

/** A schedule ends when it is suspended. */
async function endOf({ objects }: UnfinishedState, users: Parameters<Story['tell']>[0]): Promise<void> {
  const isSchedule = (value: unknown) => (value as EtcdBackup).spec.schedule !== undefined;
  const schedule = Object.entries(objects).find(([key, value]) => key.includes('/etcdbackups/') && isSchedule(value));
  if ((objects[clusterKey] as EtcdCluster).spec.paused) await users.edit({ paused: false });
  if (schedule === undefined) return;
  await users.wait(150_000);
  await users.editBackup((schedule[1] as EtcdBackup).metadata.name, { suspend: true });
}

describe('a state that an earlier version has stored', () => {
  it.each(states)('continues to rest: $name', async (state) => {
    const volumes = Object.entries(state.volumes).map(([uid, data]) => [uid, withRevisions(data)] as const);
    const cluster = clusterOf({ ...state, volumes: Object.fromEntries(volumes) });
    const isDeleted = (state.objects[clusterKey] as EtcdCluster).metadata.deletionTimestamp !== undefined;
    let world: World | undefined;
    const story: Story = {
      name: state.name,
      why: isDeleted ? gone : allOver,
      async tell(users) {
        if (world === undefined) throw new TypeError('there is no world');
        for (const [key, text] of Object.entries(state.stored)) world.storage.plant(key, text);
        await restoreStored(world, cluster);
        await endOf(state, users);
      },
    };
    const watch = (of: World) => {
      world = of;
    };
    const result = await runScenario(etcdScenario(story, { isDuel: false, watch }), seed, []);
    expect(result.failure, shown(result)).toBeUndefined();
    if (!isAtRest(state.name)) return;
    // Its members start with the run, which its status says.
    const isStatus = (name: string) => name === `commit put ${clusterKey}` || name.includes('/events/');
    const changes = result.journal.effects.filter(({ kind, name }) => kind === 'write' && !isStatus(name));
    expect(changes.map(({ name }) => name)).toEqual([]);
  });
});
