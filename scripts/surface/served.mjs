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
  const roles = {};
  for (const plural of ['clusterroles', 'clusterrolebindings']) {
    const { items } = await json(`/apis/rbac.authorization.k8s.io/v1/${plural}`);
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
    const timer = setTimeout(() => reject(new Error(`no line matches ${pattern}`)), startMsMax);
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
    lines.on('close', () => {
      clearTimeout(timer);
      reject(new Error(`the program ended without a line that matches ${pattern}`));
    });
  });
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
