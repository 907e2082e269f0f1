/**
 * What the started programs serve: the simulator with its control API, and the operator with the Kubernetes API, health and
 * metrics. The registry is in memory and empty.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { defaultObjects, servedResources } from '@ecsm/apiserver';
import { operatorKinds } from '@ecsm/operator';
import { KindSet } from '@ecsm/runtime';
import { openApiFiles } from './openapi.mjs';
import { rows, sections, yaml } from './text.mjs';

const startMsMax = 60_000;

/** @param {string} root of the repository */
export async function served(root) {
  const home = mkdtempSync(join(tmpdir(), 'ecsm-surface-'));
  const started = [];
  const start = (name, ...argv) => {
    const child = spawn(process.execPath, [join(root, 'bin', name), ...argv], {
      env: { PATH: process.env.PATH, HOME: home, ECSM_HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: startMsMax,
    });
    started.push(child);
    return child;
  };
  try {
    const simulator = start('ecsm-sim', '--listen', '127.0.0.1:0');
    const [, platform] = await lineOf(simulator.stdout, /listens on (\S+)/);
    const operator = start(
      'ecsm-operator',
      ...['--registry', 'memory:', '--ecsm', platform, '--log-format', 'json'],
      ...['--serve', '127.0.0.1:0', '--listen', '127.0.0.1:0'],
    );
    const [[, api], [, health]] = await Promise.all([
      lineOf(operator.stderr, /"serving the Kubernetes API","url":"([^"]+)"/),
      lineOf(operator.stderr, /"health server listening","url":"([^"]+)"/),
    ]);
    await until(
      ({ status }) => status === 200,
      () => get(`${health}/readyz`),
    );
    const pki = (file) => readFileSync(join(home, 'pki', file));
    const ca = pki('ca.crt');
    const admin = pki('admin.pem');
    return {
      ...(await simulatorFiles(platform)),
      ...(await apiFiles((path, accept) => get(api + path, accept, { ca, cert: admin, key: admin }))),
      'http-paths.txt': sections({
        'Kubernetes API, without credentials': await statuses(api, apiPaths, { ca }),
        'Kubernetes API, as the administrator': await statuses(api, apiPaths, { ca, cert: admin, key: admin }),
        'health of the operator': await statuses(health, healthPaths),
      }),
      'metrics-ecsm-operator-started.txt': familiesOf((await get(`${health}/metrics`)).text),
    };
  } finally {
    for (const child of started) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
}

async function simulatorFiles(url) {
  const json = async (path) => JSON.parse((await get(url + path)).text);
  const { routes } = await json('/sim/');
  const { ok: _, ...behaviour } = await json('/sim/behaviour');
  return {
    'simulator-control.txt': rows(
      routes.map(({ method, path, does, body }) => [method, path, does, body ? JSON.stringify(body) : '']),
    ),
    'simulator-behaviour.yaml': yaml(behaviour),
  };
}

/** Discovery, OpenAPI and the objects that exist in an empty registry, as clients get them. */
async function apiFiles(ask) {
  const json = async (path, accept) => {
    const { status, text } = await ask(path, accept);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const groups = (await json('/apis')).groups.flatMap(({ versions }) =>
    versions.map(({ groupVersion }) => groupVersion),
  );
  const discovery = {};
  for (const path of ['/version', '/api', '/apis', '/api/v1', ...groups.map((group) => `/apis/${group}`)]) {
    discovery[path] = await json(path);
  }
  for (const path of ['/api', '/apis']) discovery[`${path} (${aggregated})`] = await json(path, aggregated);
  const { paths } = await json('/openapi/v3');
  const documents = {};
  for (const path of Object.keys(paths)) documents[path] = await json(`/openapi/v3/${path}`);
  const v2 = await ask('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
  // The server stores its default roles, and then their bindings, after it has started to answer.
  const { clusterRoleBindings } = defaultObjects(servedResources(new KindSet(operatorKinds)));
  const rbac = (plural) => json(`/apis/rbac.authorization.k8s.io/v1/${plural}`);
  const bindings = await until(
    ({ items }) => items.length >= clusterRoleBindings.length,
    () => rbac('clusterrolebindings'),
  );
  const roles = {};
  for (const [plural, { items }] of [
    ['clusterroles', await rbac('clusterroles')],
    ['clusterrolebindings', bindings],
  ]) {
    for (const { metadata, roleRef, rules, subjects } of items) {
      roles[`${plural}/${metadata.name}`] = { labels: metadata.labels, roleRef, rules, subjects };
    }
  }
  return {
    'api-discovery.yaml': yaml(discovery),
    'api-roles.yaml': yaml(roles),
    ...openApiFiles(documents),
    'openapi-v2.txt': `${v2.type}\n${JSON.stringify(v2.text)}\n`,
  };
}

/** Paths of the API server that are not resources, and some that do not exist. */
const apiPaths = [
  ...['/', '/api', '/api/', '/api/v1', '/apis', '/apis/', '/apis/ecsm.sh', '/apis/ecsm.sh/v1'],
  ...['/healthz', '/livez', '/readyz', '/version', '/metrics', '/openapi/v2', '/openapi/v3', '/openapi/v4'],
  ...['/logs', '/ui', '/ui/', '/api/v1/nosuch', '/apis/nosuch/v1'],
];
const healthPaths = ['/', '/healthz', '/livez', '/readyz', '/metrics', '/nosuch'];

async function statuses(url, paths, tls) {
  const all = [];
  for (const path of paths) {
    const { status, type } = await get(url + path, undefined, tls);
    all.push([path, status, type ?? '']);
  }
  return rows(all);
}

/** Name, type and help of every metric of a scrape. */
function familiesOf(text) {
  const help = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name, words]) => [name, words]));
  return rows([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type, help.get(name)]));
}

/** The first line of a stream that matches; the stream is read to its end, so that the process is never blocked. */
function lineOf(stream, pattern) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match !== null) resolve(match);
    });
    lines.on('close', () => reject(new Error(`the program ended without a line that matches ${pattern}`)));
  });
}

/** Repeats a request of a program that has just started, until it answers as it does at rest. */
async function until(isDone, request) {
  const end = Date.now() + startMsMax;
  for (;;) {
    const answer = await request();
    if (isDone(answer)) return answer;
    if (Date.now() > end) throw new Error(`the last answer in ${startMsMax} ms is ${JSON.stringify(answer)}`);
    await setTimeout(100);
  }
}

function get(url, accept = 'application/json', tls = {}) {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    send(url, { ...tls, headers: { accept }, agent: false }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const { statusCode: status, headers } = response;
      resolve({ status, type: headers['content-type'], text: Buffer.concat(chunks).toString('utf8') });
    })
      .on('error', reject)
      .end();
  });
}
