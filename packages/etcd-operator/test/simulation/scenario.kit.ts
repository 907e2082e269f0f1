/**
 * A story as a scenario: it is told while faults are injected, then everything is repaired, the cluster has to become
 * what was asked for, and afterwards nothing may be written.
 */
import { findCondition, keyOf, Lease } from '@ecsm/runtime';
import { ordinaryFaults, type Scenario } from '@ecsm/runtime/simulation';
import { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import { whyUnsettled } from '../../src/controller/operator.ts';
import { type Story, stories } from './stories.kit.ts';
import { Users } from './users.kit.ts';
import { clusterName, namespace, slotIn, type View } from './view.kit.ts';
import { buildWorld, operate, settings, type World } from './world.kit.ts';
import { Writer } from './writer.kit.ts';

const faultsUntilMs = 60_000;
const settleMsMax = 1_500_000;
const quietMs = 200_000;

export interface ScenarioOptions {
  /** Two operators with leader election. Default: one in six seeds. */
  readonly isDuel?: boolean;
  readonly watch?: (world: World) => void;
}

export const asked = 'what was asked for is true';
export const silent = 'at rest nothing is written';

export function etcdScenario(story: Story, options: ScenarioOptions = {}): Scenario {
  return {
    name: story.name,
    faultsUntilMs,
    endMs: 24 * 3_600_000,
    stepsMax: 150_000,
    weights: ordinaryFaults,
    build(simulation) {
      const world = buildWorld(simulation);
      options.watch?.(world);
      const isDuel = options.isDuel ?? simulation.seed % 6 === 5;
      const links = ['store', 'etcd'];
      for (const name of isDuel ? ['operator', 'rival'] : ['operator']) {
        simulation.process(name, { links }).start((doors) => operate(world, doors, isDuel));
      }
      const writer = new Writer(world);
      const failed = (error: unknown) =>
        simulation.fail('the story is told', error instanceof Error ? (error.stack ?? '') : String(error));
      writer.run().catch(failed);
      direct(world, story, writer).catch(failed);
      simulation.always('safety', () => void world.watchdog.check());
    },
  };
}

/** The story of a seed. */
export function scenarioOfSeed(seed: number): Scenario {
  const story = stories[seed % stories.length];
  if (story === undefined) throw new RangeError('there are no stories');
  return etcdScenario(story);
}

async function direct(world: World, story: Story, writer: Writer): Promise<void> {
  const { simulation, view } = world;
  const users = new Users(world);
  await story.tell(users);
  if (simulation.nowMs < faultsUntilMs) await users.wait(faultsUntilMs - simulation.nowMs);
  users.repair();
  const isTrue = () => (story.why ?? whyUntrue)(view) === undefined;
  await users.until(isTrue, settleMsMax);
  const why = (story.why ?? whyUntrue)(view);
  if (why !== undefined) simulation.fail(asked, why);
  writer.everyMs = 30_000;
  // Written once more: what was last done is not in progress any more.
  await users.wait(settings.restMs + 10_000);
  const before = versions(world);
  await users.wait(quietMs);
  const changed = [...versions(world)].find(([key, version]) => before.get(key) !== version);
  if (changed) simulation.fail(silent, `${changed[0]} is written`);
  const after = (story.why ?? whyUntrue)(view);
  if (after !== undefined) simulation.fail(asked, `not any more: ${after}`);
  simulation.scheduler.stop();
}

/** Of all objects, and of the membership. The status follows the size of the database when it grows by a tenth. */
function versions({ simulation, view }: World): ReadonlyMap<string, number | string> {
  const result = new Map<string, number | string>();
  const leases = keyOf(Lease, 'default', '');
  for (const [key, { revision }] of simulation.store.contents) {
    if (!key.startsWith(leases) && !key.startsWith('fences/')) result.set(key, revision);
  }
  const text = JSON.stringify(view.cluster)?.replaceAll(/"dbSizeBytes":\d+/gu, '') ?? '';
  result.set(keyOf(EtcdCluster, namespace, clusterName), text);
  result.set('the membership', view.truth?.state.configuration ?? 0);
  return result;
}

/** Why the cluster is not as its spec says. */
export function whyUntrue(view: View): string | undefined {
  const { cluster } = view;
  if (cluster === undefined) return 'there is no cluster';
  const why = whyUnsettled(cluster);
  if (why !== undefined) return `${why}; ${cluster.status?.phase}`;
  const { size, version, paused } = cluster.spec;
  if (paused) return 'it is paused';
  const certificates = findCondition(cluster.status?.conditions, 'CertificatesReady')?.reason;
  if (certificates !== 'CertificatesValid' && certificates !== 'TLSDisabled') return `certificates: ${certificates}`;
  const pods = view.pods.length;
  if (pods !== size) return `${pods} pods, and size is ${size}`;
  if (size === 0) return undefined;
  const members = [...(view.truth?.state.members.values() ?? [])];
  const voters = members.filter(({ isLearner }) => !isLearner);
  if (voters.length !== size || members.length !== size) return `${voters.length} voters, and size is ${size}`;
  for (const { peerURLs } of voters) {
    const slot = slotIn(peerURLs[0]);
    if (!view.isUp(slot)) return `main-${slot} does not serve`;
    const runs = `v${view.process(slot)?.options.version}`;
    if (runs !== version) return `main-${slot} runs ${runs}, not ${version}`;
  }
  const claims = view.claims.length;
  const isKept = cluster.spec.storage.retentionPolicy.whenScaled === 'Retain';
  return !isKept && claims !== size ? `${claims} volumes, and size is ${size}` : undefined;
}
