/**
 * An etcd cluster of real processes, without Kubernetes and without containers: our API server and a node in this process,
 * the operator as a program. `make start-etcd` runs it.
 *
 * On a terminal it shows a live view until Ctrl-C. Elsewhere it causes two failures, waits until they are repaired, and
 * exits. Everything is in a temporary directory, which is removed at the end.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readManifests } from '@ecsm/runtime';
import { Children, portOrAny, untilReady } from '../quickstart/children.mjs';
import { rowsOf, Screen } from '../quickstart/screen.mjs';
import { columnsDefault, eventLines, eventsThatFit, painter } from '../quickstart/view.mjs';
import { Entrance, writeEnvironment } from './entrance.mjs';
import { printAll } from './lines.mjs';
import { findNssWrapper, findProgram, findReleases, tools, upgradeFrom } from './releases.mjs';
import { clusterLines, hintLines } from './view.mjs';
import { World } from './world.mjs';

const isInteractive = process.stdout.isTTY === true;
const paint = painter(isInteractive && !process.env.NO_COLOR);
const defaultPorts = { api: 6443, health: 8092, client: 2379 };
/** Shorter than the operator's default, to shorten the demonstration. */
const healthSeconds = 2;
const drawMs = 300;
/** For a terminal that does not report its size. */
const rowsDefault = 24;
const backup = fileURLToPath(new URL('backup.yaml', import.meta.url));

const stop = new AbortController();
const interrupted = 'interrupted';
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stop.abort(interrupted));

const releases = await findReleases();
const release = releases.find(({ version }) => version.startsWith('3.5.')) ?? releases[0];
if (release === undefined) {
  console.error(
    'There is no etcd 3.5 or newer on this machine, and it could not be fetched. Put the programs etcd and etcdctl\n' +
      'into .tools/etcd-3.5 or on the PATH, and run make start-etcd again.',
  );
  process.exit(1);
}

const directory = mkdtempSync(join(tmpdir(), 'etcd-start-'));
const children = new Children();
const entrance = new Entrance();
let world;
/** Names of the members that serve. */
let serving = [];
try {
  await run();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  if (stop.signal.reason !== interrupted) throw stop.signal.reason;
} finally {
  console.log('Stopping: the operator, the members, the API server');
  await entrance.close();
  await children.stop();
  await world?.stop();
  rmSync(directory, { recursive: true, force: true });
  console.log('Stopped. Temporary files are removed.');
}

async function run() {
  // The pods of backups and restores run the agent of this checkout.
  const programs = fileURLToPath(new URL('../../bin', import.meta.url));
  const binaries = (image) =>
    image.startsWith('etcd-operator:')
      ? programs
      : releases.find(({ version }) => image.endsWith(`:v${version}`))?.directory;
  const port = await portOrAny(defaultPorts.api);
  world = await World.start({ directory, port, binaries, nssWrapper: findNssWrapper() });
  if (!world.hasNames) {
    throw new Error('members cannot find each other: neither unshare -m nor libnss-wrapper works on this machine');
  }
  const health = `127.0.0.1:${await portOrAny(defaultPorts.health)}`;
  const argv = ['--kubeconfig', world.kubeconfig, '--listen', health, '--health-seconds', String(healthSeconds)];
  const operator = children.start('etcd-operator', argv, { directory, lost: (error) => stop.abort(error) });
  await untilReady(`http://${health}/readyz`, stop.signal);
  const endpoint = await entrance.open(await portOrAny(defaultPorts.client), addresses);

  console.log(paint('bold', '\netcd-operator: an etcd cluster of real processes, with TLS\n'));
  console.log(`Kubernetes ${world.url} (our API server and a node, process ${process.pid})`);
  console.log(`Operator   http://${health}/metrics (process ${operator.pid})`);
  console.log(`etcd       ${endpoint}, ${releases.map(({ version }) => version).join(', ')} on this machine`);
  console.log(`Logs       ${operator.log}\n`);

  const [manifest] = await readManifests(readFileSync(new URL('main.yaml', import.meta.url)), { file: 'main.yaml' });
  const { object } = manifest;
  await world.clusters.apply({ ...object, spec: { ...object.spec, version: `v${release.version}` } });
  if (isInteractive) await show(endpoint);
  else await printAll({ world, cluster: () => world.clusters.get('main'), signal: stop.signal });
}

function addresses() {
  return world
    .pods()
    .filter(({ name }) => serving.includes(name))
    .map(({ address }) => address);
}

/** Shows the live view until Ctrl-C. */
async function show(endpoint) {
  const screen = new Screen(process.stdout);
  const environment = environmentWriter(endpoint);
  for (;;) {
    screen.draw(await lines(await environment()));
    await sleep(drawMs, undefined, { signal: stop.signal });
  }
}

async function lines(environment) {
  const [cluster] = (await world.clusters.list()).items;
  if (cluster === undefined) return ['etcd/main was deleted. Ctrl-C stops everything.'];
  serving = (cluster.status?.members ?? []).filter(({ ready }) => ready).map(({ name }) => name);
  const pods = world.pods();
  const upgrade = upgradeFrom(cluster.spec.version.slice(1), releases);
  const columns = process.stdout.columns || columnsDefault;
  const table = clusterLines(cluster, pods, paint, columns);
  const hints = hintLines(cluster, pods, { environment, backup, upgrade }, paint);
  const count = eventsThatFit(process.stdout.rows || rowsDefault, rowsOf([...table, ...hints], columns) + 2);
  return [...table, '', ...eventLines(await world.events(), count, paint, columns), '', ...hints];
}

/** Writes the files for another terminal again when the certificate has changed. */
function environmentWriter(endpoint) {
  const programs = [
    fileURLToPath(new URL('../../bin/etcd-operator', import.meta.url)),
    findProgram('kubectl', [join(tools, 'usr', 'bin')]),
    findProgram('etcdctl', [release.directory, join(tools, 'etcd-3.5')]),
  ];
  let written = '';
  let file;
  return async () => {
    const secret = await world.secret('main-client-tls');
    const certificate = String(secret?.['tls.crt']);
    if (file === undefined || certificate !== written) {
      file = writeEnvironment({ directory, kubeconfig: world.kubeconfig, endpoint, secret, programs });
    }
    written = certificate;
    return file;
  };
}
