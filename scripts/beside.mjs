/**
 * Compares the simulations of two checkouts, an old one and this one, on the same seeds:
 *
 *     node scripts/beside.mjs OLD [--world etcd|operator|orchestration] [--seeds 500] [--first 1] [--faults] [--into DIR] [--trace SEED]
 *
 * It prints the totals of calls, reads, commits and event objects as old | new | ratio, and the seeds whose final state
 * differs: members, volumes, the platform, and stored objects without names of events, versions, ids and times. Results are
 * kept below DIR; those that are there are not computed again.
 *
 * Without `--faults` no random fault is injected: faults are numbered by the effect they hit, and other effects make another
 * world. Both sides run the story that the old one selects, by its name, and clients that write all the time draw from a
 * generator of their own. A story may still depend on how far the operator is when its next step comes: a seed whose specs
 * differ at the end is marked `asked otherwise`, and only the sums of its story can be compared.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    world: { type: 'string', multiple: true, default: ['etcd', 'operator', 'orchestration'] },
    seeds: { type: 'string', default: '500' },
    first: { type: 'string', default: '1' },
    faults: { type: 'boolean', default: false },
    into: { type: 'string', default: join(tmpdir(), 'ecsm-beside') },
    lines: { type: 'string', default: '6' },
    trace: { type: 'string' },
  },
});
if (positionals.length !== 1) throw new Error('usage: node scripts/beside.mjs OLD [options], see its header');
const sides = { old: resolve(positionals[0]), new: fileURLToPath(new URL('..', import.meta.url)) };
const [seeds, first] = [Number(values.seeds), Number(values.first)];

/** How each world selects the scenario of a seed. `names` are the stories that both sides have, in the order of the old one. */
const worlds = {
  etcd: {
    directory: 'etcd-operator/test/simulation',
    program: `
      import { etcdScenario } from './scenario.kit.ts';
      import { stories } from './stories.kit.ts';
      export const names = stories.map(({ name }) => name);
      export const scenarioOf = (seed, names) =>
        etcdScenario(stories.find(({ name }) => name === names[seed % names.length]));`,
  },
  operator: {
    directory: 'ecsm-operator/test/simulation',
    program: `
      import { behaviourOf } from './behaviours.kit.ts';
      import { fleetScenario, scenarioOfSeed } from './fleet.kit.ts';
      import { stories } from './stories.kit.ts';
      export const names = stories.map(({ name }) => name);
      // A focused run crashes after writes, which is a fault too.
      export const scenarioOf = (seed, names, hasFaults) =>
        hasFaults
          ? scenarioOfSeed(seed)
          : fleetScenario(stories.find(({ name }) => name === names[seed % names.length]), { behaviour: behaviourOf(seed) });`,
  },
  orchestration: {
    directory: 'ecsm-operator/test/simulation/orchestration',
    program: `
      import { orchestrationOfSeed, orchestrationStories } from './scenario.kit.ts';
      export const names = orchestrationStories.map(({ name }) => name);
      export const scenarioOf = (seed) => orchestrationOfSeed(seed);`,
  },
};

/** Runs seeds and prints one line of JSON for each. */
const runner = `
  import { formatTrace, runScenario } from '@ecsm/runtime/simulation';
  import { names, scenarioOf } from 'beside:world';
  const [what, first, count, hasFaults, list] = process.argv.slice(2);
  // Ids, times and counters that depend on the moment of an action and not on its result.
  const dropped = new Set(['uid', 'resourceVersion', 'generation', 'observedGeneration', 'managedFields', 'id', 'ids', 'dbSizeBytes',
    'lag', 'leaderID', 'clusterID', 'role', 'duration', 'restartCount', 'podIP', 'podIPs', 'containerID', 'data', 'hash', 'hashKV',
    'currentRevision', 'updateRevision', 'controller-revision-hash',
    'snapshotSha256', 'storedSha256', 'databaseSha256', 'etcdRevision', 'restoredRevision', 'backupSize', 'databaseSize', 'keys']);
  const isDropped = (key) => dropped.has(key) || /(?:Time|Timestamp|At|UID|Date)$|^(?:time|last[A-Z].*)$/u.test(key);
  const plain = (text) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, '<uid>')
      .replace(/\\d{8}T\\d{6}Z-[0-9a-f]{8}(?:-r\\d+)?/gu, '<stored>')
      .replace(/-[0-9a-f]{8}-[0-9a-f]{8}\\b/gu, '-<id>')
      .replace(/"endpoints":\\[[^\\]]*\\]/gu, '<endpoints>')
      .replace(/\\d{4}-\\d\\d-\\d\\dT?[\\d:.]*Z?/gu, '<time>')
      .replace(/\\b\\d{8,}\\b|\\b(?=[0-9a-f]*\\d)[0-9a-f]{10,64}\\b/gu, '<id>')
      .replace(/\\b10\\.\\d+\\.\\d+\\.\\d+\\b/gu, '<address>');
  const normal = (value, key) => {
    if (typeof value === 'string') return plain(value);
    if (Array.isArray(value)) {
      const all = value.map((one) => normal(one));
      return key === 'conditions' || key === 'members' || key === 'volumes'
        ? all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : all;
    }
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).filter(([name]) => !isDropped(name));
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, normal(one, name)]));
  };
  const pluralOf = (key) => key.split('/')[2] ?? key;
  const isIgnored = (key) => /^core\\/v1\\/events\\/|\\/leases\\/|^fences\\//u.test(key);
  const finalOf = ({ store }, world) => {
    const final = {};
    for (const [key, entry] of store.contents) {
      if (isIgnored(key)) continue;
      const value = JSON.parse(new TextDecoder().decode(entry.value));
      const name = plain(key);
      for (const [part, one] of Object.entries(normal(value))) {
        if (part === 'metadata') {
          final[name + ' ' + part] = [...(final[name + ' ' + part] ?? []),
            { finalizers: one.finalizers, annotations: one.annotations, labels: one.labels, isDeleting: value.metadata.deletionTimestamp !== undefined }];
        } else if (part === 'status') for (const [field, of] of Object.entries(one ?? {})) final[name + ' status.' + field] = [...(final[name + ' status.' + field] ?? []), of];
        else final[name + ' ' + part] = [...(final[name + ' ' + part] ?? []), one];
      }
    }
    if (world.etcd) {
      const { view } = world;
      const members = [...(view.truth?.state.members.values() ?? [])].map(({ peerURLs, isLearner }) => {
        const slot = Number(/main-(\\d+)/u.exec(peerURLs[0])?.[1]);
        return [slot, peerURLs[0], isLearner, view.isUp(slot), view.process(slot)?.options.version];
      });
      final.members = members.sort(([a], [b]) => a - b);
      final.alarms = [...(view.truth?.state.alarms.values() ?? [])].map(({ type }) => type);
      final.volumes = view.claims.map(({ metadata }) => metadata.name).sort();
    } else {
      const { platform } = world.simulator;
      final.platform = platform.services().map((service) => [plain(service.name.replace(/-[0-9a-z]{5,}$/u, '')), service.image.ref, service.factor, [...service.nodeNames].sort(),
        platform.containersOfService(service.id).map((one) => platform.statusOf(one) + ' ' + one.memoryLimitBytes + ' ' + platform.nodes().find(({ id }) => id === one.nodeId)?.name).sort()])
        .map((one) => JSON.stringify(one)).sort();
    }
    return final;
  };
  const one = async (seed) => {
    const scenario = scenarioOf(seed, JSON.parse(list), hasFaults === 'true');
    const counts = {};
    const add = (name, number = 1) => { counts[name] = (counts[name] ?? 0) + number; };
    const events = new Map();
    // Without the numbers in messages: what is one object is a rule of the recorder, which has changed too.
    const different = new Map();
    let simulation;
    let world;
    const watched = { ...scenario, async build(of) {
      await scenario.build(of);
      simulation = of;
      world = globalThis.besideWorld;
      const commit = of.store.commit.bind(of.store);
      of.store.commit = async (writes) => {
        const outcome = await commit(writes);
        if (outcome.committed) for (const { type, key, value } of writes) {
          if (type !== 'put' || !key.startsWith('core/v1/events/')) continue;
          const { involvedObject, reason, message, source, count, type: severity } = JSON.parse(new TextDecoder().decode(value));
          events.set(key, count ?? 1);
          const similar = message.replace('(combined from similar events): ', '').replace(/(?<![\\w./-])[0-9]+(?![\\w/-])/gu, '#');
          different.set([involvedObject.uid, severity, reason, source?.component, similar].join(), involvedObject.kind + ' ' + reason);
        }
        return outcome;
      };
    } };
    const { failure, journal, nowMs } = await runScenario(watched, seed, hasFaults === 'true' ? undefined : []);
    for (const { process, name, kind, result } of journal.effects) {
      if (process === 'people') continue;
      const [call, ...rest] = name.split(' ');
      if (kind === 'event') add('watch deliveries');
      else if (call === 'etcd') { add('etcd calls'); add('  etcd ' + rest[0] + (kind === 'write' && result !== 'ok' ? ', refused' : '')); }
      else if (/^[A-Z]+$/u.test(call)) { add('platform calls'); add('  ' + call + ' ' + (rest[0] ?? '').replace(/\\/[^/]*\\d[^/]*/gu, '/:id')); }
      else if (call === 'commit') {
        const key = /(?:put|delete) ([^\\s,]+)/u.exec(name)?.[1] ?? name;
        const plural = key.startsWith('fences/') ? 'fences' : pluralOf(key);
        if (plural === 'leases' || plural === 'fences') add('lease commits');
        else if (plural === 'events') add('event commits');
        else { add('registry commits'); add('  commit ' + plural); }
      } else if (call === 'watch') add('watches opened');
      else { add('registry reads'); add('  read ' + pluralOf(rest[0] ?? '')); }
    }
    add('event objects', events.size);
    add('events without numbers', different.size);
    for (const times of events.values()) add('occurrences of events', times);
    for (const what of different.values()) add('  event ' + what);
    counts['failed seeds'] = failure === undefined ? 0 : 1;
    counts['virtual seconds'] = Math.round(nowMs / 1000);
    return { seed, story: scenario.name, failure: failure && failure.oracle + ': ' + failure.message.slice(0, 300), counts, final: finalOf(simulation, world) };
  };
  if (what === 'names') console.log(JSON.stringify(names));
  else if (what === 'trace') {
    const seed = Number(first);
    const scenario = scenarioOf(seed, JSON.parse(list), hasFaults === 'true');
    console.log(formatTrace((await runScenario(scenario, seed, hasFaults === 'true' ? undefined : [])).journal));
  }
  else for (let seed = Number(first); seed < Number(first) + Number(count); seed++) console.log(JSON.stringify(await one(seed)));
`;

async function bundle(root, world, outfile) {
  const { directory, program } = worlds[world];
  const source = (path) => join(root, 'packages', path);
  const resolveDir = source(directory);
  await build({
    absWorkingDir: root,
    stdin: { contents: runner, resolveDir, loader: 'js' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.15',
    alias: {
      '@ecsm/runtime/cron': source('runtime/src/cron/public.ts'),
      '@ecsm/runtime/testing': source('runtime/src/testing/public.ts'),
      '@ecsm/runtime/simulation': source('runtime/src/simulation/public.ts'),
      '@ecsm/runtime': source('runtime/src/index.ts'),
      '@ecsm/kubernetes': source('kubernetes/src/index.ts'),
      '@ecsm/apiserver': source('apiserver/src/index.ts'),
      '@ecsm/process-node': source('process-node/src/index.ts'),
      '@ecsm/client': source('ecsm-client/src/index.ts'),
      '@ecsm/simulator': source('ecsm-simulator/src/index.ts'),
    },
    external: ['@photostructure/sqlite'],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'warning',
    plugins: [
      {
        name: 'beside',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /^beside:world$/ }, ({ path }) => ({ path, namespace: 'beside' }));
          onLoad({ filter: /.*/, namespace: 'beside' }, () => ({ contents: program, resolveDir, loader: 'js' }));
          onLoad({ filter: /\/packages\/.*\.ts$/ }, ({ path }) => ({ contents: adapted(path), loader: 'ts' }));
        },
      },
    ],
  });
}

/** A source file, in which both sides have the same API group, and a run can be watched. */
function adapted(path) {
  const text = readFileSync(path, 'utf8').replaceAll('etcd.etcd.io', 'etcd.ecsm.sh');
  // The world of a run, for the final state.
  if (path.endsWith('test/simulation/world.kit.ts')) {
    return text.replace(
      'export function buildWorld(',
      `export function buildWorld(...args: Parameters<typeof buildOne>): World {
        const world = buildOne(...args);
        (globalThis as { besideWorld?: unknown }).besideWorld = world;
        return world;
      }
      function buildOne(`,
    );
  }
  // A client that writes all the time draws from the generator of the story: when it does would change the story.
  if (path.endsWith('test/simulation/writer.kit.ts')) {
    return text
      .replace('view, random, watchdog', 'view, watchdog')
      .replace('for (let count = 0; ;', 'const random = new SeededRandom(simulation.seed, 99); for (let count = 0; ;')
      .replace(/^import /mu, "import { SeededRandom } from '@ecsm/runtime/simulation';\nimport ");
  }
  return text;
}

const flags = ['--always-sparkplug', '--max-semi-space-size=64', '--single-threaded'];

async function output(program, args, file) {
  const child = spawn(process.execPath, [...flags, program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const target = createWriteStream(`${file}.part`);
  child.stdout.pipe(target);
  const [[code]] = await Promise.all([once(child, 'exit'), once(target, 'close')]);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  renameSync(`${file}.part`, file);
}

async function results(side, world, names) {
  const program = join(values.into, `${world}-${side}.mjs`);
  const file = join(values.into, `${world}-${side}-${values.faults ? 'faults' : 'plain'}-${first}-${seeds}.ndjson`);
  if (!existsSync(file)) await output(program, ['seeds', first, seeds, values.faults, JSON.stringify(names)], file);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function namesOf(side, world) {
  const program = join(values.into, `${world}-${side}.mjs`);
  await bundle(sides[side], world, program);
  const file = join(values.into, `${world}-${side}-names.json`);
  await output(program, ['names'], file);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** What was asked for, as it is stored at the end. */
const isAsked = (part) => /\/(?:etcdclusters|etcdbackups|etcdrestores|ecsmservices|ecsmhpas)\/\S+ spec$/u.test(part);

function compare(world, olds, news) {
  const sums = new Map();
  const perStory = new Map();
  const differences = [];
  for (const [index, old] of olds.entries()) {
    const now = news[index];
    for (const [side, { counts }] of [
      [0, old],
      [1, now],
    ]) {
      for (const [name, number] of Object.entries(counts)) {
        const row = sums.get(name) ?? [0, 0];
        row[side] += number;
        sums.set(name, row);
        const story = perStory.get(old.story) ?? new Map();
        perStory.set(old.story, story);
        const own = story.get(name) ?? [0, 0];
        own[side] += number;
        story.set(name, own);
      }
    }
    const parts = new Set([...Object.keys(old.final), ...Object.keys(now.final)]);
    const other = [...parts].filter((part) => JSON.stringify(old.final[part]) !== JSON.stringify(now.final[part]));
    if (old.failure !== now.failure) other.unshift('failure');
    if (other.length > 0) differences.push({ old, now, other });
  }
  const ratio = ([a, b]) => (a === 0 ? (b === 0 ? '1.000' : 'new') : (b / a).toFixed(3));
  const group = (name) => (name.startsWith('  ') ? name.slice(2).split(' ')[0] : '');
  const names = [...sums.keys()].filter((name) => !name.startsWith('  ')).sort();
  const details = [...sums.keys()]
    .filter((name) => name.startsWith('  '))
    .sort((a, b) => (group(a) + a < group(b) + b ? -1 : 1));
  console.log(`\n${world}, ${olds.length} seeds from ${first}, ${values.faults ? 'with' : 'without'} faults\n`);
  for (const name of [...names, ...details]) {
    const row = sums.get(name);
    console.log(`${name.padEnd(52)} ${String(row[0]).padStart(9)} | ${String(row[1]).padStart(9)} | ${ratio(row)}`);
  }
  console.log(`\n${differences.length} of ${olds.length} seeds differ in the final state`);
  for (const { old, now, other } of differences) {
    console.log(`  seed ${old.seed}, ${old.story}${other.some(isAsked) ? ' (asked otherwise)' : ''}`);
    const text = (side, part) => (part === 'failure' ? side.failure : JSON.stringify(side.final[part]))?.slice(0, 260);
    for (const part of other.slice(0, Number(values.lines))) {
      console.log(`    ${part}\n      old ${text(old, part)}\n      new ${text(now, part)}`);
    }
    if (other.length > Number(values.lines)) console.log(`    and ${other.length - Number(values.lines)} others`);
  }
  const more = [...perStory].flatMap(([story, rows]) =>
    [...rows]
      .filter(([name, [a, b]]) => !name.startsWith('  ') && b > a * 1.02 + 2)
      .map(([name, row]) => `  ${story}: ${name} ${row.join(' | ')} | ${ratio(row)}`),
  );
  console.log(`\nstories with a total that is more than 2 percent higher:\n${more.join('\n')}`);
}

mkdirSync(values.into, { recursive: true });
for (const world of values.world) {
  const [known, current] = [await namesOf('old', world), await namesOf('new', world)];
  const names = known.filter((name) => current.includes(name));
  if (values.trace !== undefined) {
    // With the log lines.
    process.env['SEED'] = values.trace;
    for (const side of ['old', 'new']) {
      const file = join(values.into, `${world}-${side}-${values.trace}.trace`);
      await output(
        join(values.into, `${world}-${side}.mjs`),
        ['trace', values.trace, 1, values.faults, JSON.stringify(names)],
        file,
      );
      console.log(file);
    }
    continue;
  }
  compare(world, ...(await Promise.all([results('old', world, names), results('new', world, names)])));
}
