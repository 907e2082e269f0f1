/**
 * The quickstart: a simulated platform, the operator and a small fleet. `make start` runs it.
 *
 * On a terminal it shows a live view until Ctrl-C. Elsewhere it causes two failures, waits until they are repaired, and
 * exits. Both programs are real processes. Their registry is in a temporary directory, which is removed at the end.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ECSMService } from '@ecsm/operator';
import { Event, openRegistry, readManifests } from '@ecsm/runtime';
import { Children, portOrAny, untilReady } from './children.mjs';
import { prefix, recordProcesses, removeLeftovers } from './leftovers.mjs';
import { printHealing, printProgress } from './lines.mjs';
import { openPlatform } from './platform.mjs';
import { rowsOf, Screen } from './screen.mjs';
import { columnsDefault, commandLines, eventLines, eventsThatFit, painter, serviceTable } from './view.mjs';

const isInteractive = process.stdout.isTTY === true;
const paint = painter(isInteractive && !process.env.NO_COLOR);
const defaultPorts = { platform: 3001, health: 8090, api: 6443 };
/** Shorter than the operator's default, to shorten the demonstration. */
const observeSeconds = 2;
const drawMs = 300;
/** For a terminal that does not report its size. */
const rowsDefault = 24;

const here = fileURLToPath(new URL('.', import.meta.url));
const stop = new AbortController();
const interrupted = 'interrupted';
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stop.abort(interrupted));
// A terminal that was closed cannot be written. Without a listener the process would end and leave its programs behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort(interrupted));

const leftovers = await removeLeftovers(tmpdir());
const directory = mkdtempSync(join(tmpdir(), prefix));
recordProcesses(directory, [process.pid]);
// Keys and certificates of the demonstration are removed with everything else.
process.env.ECSM_HOME = directory;
const children = new Children((ids) => recordProcesses(directory, [process.pid, ...ids]));
let registry;
let platform;
try {
  await run();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  if (stop.signal.reason !== interrupted) throw stop.signal.reason;
} finally {
  platform?.close();
  await registry?.close();
  await children.stop();
  rmSync(directory, { recursive: true, force: true });
  console.log('Stopped. Temporary files are removed.');
}

async function run() {
  const url = `sqlite:${join(directory, 'registry')}`;
  const { signal } = stop;
  const lost = (error) => stop.abort(error);

  const port = await portOrAny(defaultPorts.platform);
  const platformUrl = `http://127.0.0.1:${port}`;
  const simulator = children.start('ecsm-sim', ['--listen', `127.0.0.1:${port}`, '--nodes', '4'], { directory, lost });
  await untilReady(`${platformUrl}/sim/`, signal);
  platform = openPlatform(platformUrl);

  const healthUrl = `http://127.0.0.1:${await portOrAny(defaultPorts.health)}`;
  const apiAddress = `127.0.0.1:${await portOrAny(defaultPorts.api)}`;
  const argv = ['--registry', url, '--ecsm', platformUrl, '--listen', healthUrl.replace('http://', '')];
  argv.push('--serve', apiAddress);
  const operator = children.start('ecsm-operator', [...argv, '--observe-seconds', String(observeSeconds)], {
    directory,
    lost,
  });
  await untilReady(`${healthUrl}/readyz`, signal);

  for (const one of leftovers) console.log(`Removed ${one}, which a killed run had left.`);
  console.log(paint('bold', '\necsm-operator: a small fleet, reconciled with its manifests\n'));
  console.log(`Platform   ${platformUrl} (simulated, process ${simulator.pid})`);
  console.log(`Operator   ${healthUrl}/metrics (process ${operator.pid})`);
  console.log(`Registry   ${url}`);
  const kubeconfig = join(directory, 'pki', 'admin.kubeconfig');
  console.log(`Kubernetes export KUBECONFIG=${kubeconfig}; kubectl get services,pods,nodes`);
  console.log(`Logs       ${operator.log}\n`);

  registry = await openRegistry(url, { kinds: [ECSMService, Event] });
  await applyFleet();
  if (isInteractive) await show({ url, platformUrl });
  else await printAll();
}

async function applyFleet() {
  for (const file of readdirSync(here).filter((name) => name.endsWith('.yaml'))) {
    for (const { object } of await readManifests(readFileSync(join(here, file)), { file })) {
      const { outcome } = await registry.resource(ECSMService).apply(object);
      if (!isInteractive) console.log(`${object.metadata.name} ${outcome}`);
    }
  }
}

async function services() {
  return (await registry.resource(ECSMService).list()).items;
}

async function events() {
  const { items } = await registry.resource(Event).list();
  const isNewer = (one, other) => registry.isNewer(one.metadata.resourceVersion, other.metadata.resourceVersion);
  return items.sort((one, other) => Number(isNewer(one, other)) - Number(isNewer(other, one)));
}

/** Shows the live view until Ctrl-C. */
async function show(places) {
  const screen = new Screen(process.stdout);
  for (;;) {
    const now = await services();
    const columns = process.stdout.columns || columnsDefault;
    const table = serviceTable(now, paint, columns);
    const toTry = await hints(places, now);
    const count = eventsThatFit(process.stdout.rows || rowsDefault, rowsOf([...table, ...toTry], columns) + 2);
    screen.draw([...table, '', ...eventLines(await events(), count, paint, columns), '', ...toTry]);
    await sleep(drawMs, undefined, { signal: stop.signal });
  }
}

async function hints({ url, platformUrl }, now) {
  const telemetry = now.find(({ metadata }) => metadata.name === 'telemetry');
  const [instance] = telemetry ? await platform.instances(telemetry).catch(() => []) : [];
  const port = Number(new URL(platformUrl).port);
  const to = port === defaultPorts.platform ? [] : ['--to', platformUrl];
  const place = relative(process.cwd(), here) || '.';
  const program = (name) => join(place, '..', '..', 'bin', name);
  const call = (...argv) => commandLines([program('ecsm-sim'), 'call', ...argv, ...to]);
  const ecsmctl = (...argv) => commandLines([`ECSM_REGISTRY=${url}`, program('ecsmctl'), ...argv]);
  const isNew = telemetry?.spec.template.image.includes('@2.0.0');
  const image = isNew ? 'telemetry@1.0.0#sylixos' : 'telemetry@2.0.0#sylixos';
  return [
    paint('bold', 'Try this in another terminal, in the same directory. Ctrl-C stops everything.'),
    '  kill an instance and watch it restart:',
    ...call('POST', `/sim/containers/${instance?.name ?? 'NAME'}/kill`),
    '  delete a service on the platform, bypassing the operator:',
    ...call('DELETE', '/sim/services/thermal'),
    '  roll out another image, one instance at a time, and follow it:',
    ...ecsmctl('set', 'image', 'service/telemetry', image),
    ...ecsmctl('rollout', 'status', 'service/telemetry'),
    '  disconnect a node, then reconnect it:',
    ...call('POST', '/sim/nodes/node-2/cut'),
    ...call('POST', '/sim/nodes/node-2/restore'),
  ];
}

/** Without a terminal: prints the progress line by line, then exits. */
async function printAll() {
  const { signal } = stop;
  await printProgress({ services, signal });
  await printHealing({ services, platform, signal });
  console.log('\nOn a terminal, make start keeps running and shows commands to try.');
}
