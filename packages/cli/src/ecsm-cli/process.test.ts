/** The tool as a real process, bundled as it is shipped: closed pipes, terminals, signals, and loaded modules. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finished, type OnOutput, type Ran } from '@ecsm/command-line/testing';
import { systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markOf, serviceBody } from './platform.kit.ts';

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'ecsm-cli-'));
const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(1), nodes: 200, behaviour: 'instant' });
let url = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    alias: {
      '@ecsm/runtime/lib': join(packages, 'runtime/src/lib/public.ts'),
      '@ecsm/runtime/cron': join(packages, 'runtime/src/cron/public.ts'),
      '@ecsm/runtime': join(packages, 'runtime/src/index.ts'),
      '@ecsm/command-line': join(packages, 'command-line/src/index.ts'),
      '@ecsm/client': join(packages, 'ecsm-client/src/index.ts'),
      '@ecsm/operator': join(packages, 'ecsm-operator/src/index.ts'),
      // Loaded dynamically as CommonJS it would only have a default export.
      yaml: join(packages, '../node_modules/yaml/browser/index.js'),
    },
    external: ['@photostructure/sqlite'],
    define: { __ECSM_VERSION__: '"9.8.7"' },
    logLevel: 'error',
  });
  expect(outputFiles).toBeUndefined();
  writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
  writeFileSync(
    join(directory, 'ecsm-cli'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(directory, 'main.js')}" "$@"\n`,
  );
  chmodSync(join(directory, 'ecsm-cli'), 0o755);
  ({ url } = await simulator.listen());
  const connection = (await import('@ecsm/client')).connect({ url });
  await connection.ecsm.services().create(serviceBody('orbit.camera', { factor: 1, env: markOf('orbit', 'camera') }));
  await connection.ecsm.services().create(serviceBody('mine', { factor: 1 }));
  connection.close();
});

afterAll(async () => {
  await simulator.close();
  rmSync(directory, { recursive: true, force: true });
});

async function shell(script: string, onOutput?: OnOutput): Promise<Ran> {
  const child = spawn('bash', ['--norc', '-c', script], {
    cwd: directory,
    env: {
      PATH: `${directory}:${process.env['PATH']}`,
      HOME: directory,
      TERM: 'xterm',
      ECSMCLI_URL: url,
      LANG: 'C.UTF-8',
    },
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => {});
  return finished(child, onOutput);
}

const inTerminal = (line: string, onOutput?: OnOutput) =>
  shell(`exec script -qefc 'stty cols 100 rows 20; exec ${line}' /dev/null`, onOutput);

const hasTerminal = spawnSync('script', ['--version']).status === 0;

test('version loads no large modules', async () => {
  expect(await shell('ecsm-cli version; ecsm-cli --version')).toEqual({
    code: 0,
    out: 'ecsm-cli 9.8.7\necsm-cli 9.8.7\n',
    err: '',
  });
  const main = readFileSync(join(directory, 'main.js'), 'utf8');
  const loaded = new Set<string>();
  const follow = (text: string) => {
    for (const [, file = ''] of text.matchAll(/^(?:import|export)[^"']*["']\.\/([^"']+)["'];?$/gm)) {
      if (loaded.has(file)) continue;
      loaded.add(file);
      follow(readFileSync(join(directory, file), 'utf8'));
    }
  };
  follow(main);
  const all = [main, ...[...loaded].map((file) => readFileSync(join(directory, file), 'utf8'))].join('\n');
  expect(all).not.toMatch(/from "node:https?"|class RestClient|class Registry\b/);
  expect(all.length).toBeLessThan(200_000);
});

test('a closed pipe is not an error', async () => {
  const { code, out, err } = await shell(
    'set -o pipefail; ecsm-cli get nodes | head -2; ecsm-cli get images -o yaml | true; ecsm-cli watch nodes --for 2s | head -1 | wc -l',
  );
  // Calls that take longer on a busy machine are shown as progress.
  expect({ code, err: err.replace(/^waiting for .*\n/gm, '') }).toEqual({ code: 0, err: '' });
  expect(out.split('\n')).toHaveLength(4);
});

test('prints long output completely', async () => {
  const { code, out } = await shell('ecsm-cli get nodes -o json | cat');
  expect(code).toBe(0);
  expect(JSON.parse(out).items).toHaveLength(200);
});

test('fails without a prompt if there is no terminal', async () => {
  const { code, out, err } = await shell('ecsm-cli delete mine < /dev/zero; ecsm-cli stop orbit.camera');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('ecsm-cli: delete service "mine" needs confirmation: add --yes\n');
  expect(err).toContain('To make it anyway, add --yes\n');
});

test.skipIf(!hasTerminal)('asks for confirmation on a terminal', async () => {
  const answering = (answer: string) => {
    let isAsked = false;
    return inTerminal('ecsm-cli stop orbit.camera', (text, child) => {
      if (isAsked || !text.includes('[y/N]')) return;
      isAsked = true;
      child.stdin?.write(`${answer}\n`);
    });
  };
  const no = await answering('n');
  expect(no).toMatchObject({ code: 1, out: expect.stringContaining('ecsm-cli: nothing was changed') });
  expect(no.out).toContain('ecsmctl scale ecsmservice camera -n orbit --replicas 0');
  expect(await answering('y')).toMatchObject({ code: 0, out: expect.stringContaining('service/orbit.camera stopped') });
});

test.skipIf(!hasTerminal)('top runs on a terminal until Ctrl-C', async () => {
  let isStopped = false;
  const { code, out } = await inTerminal('ecsm-cli top nodes --interval 1s', (text, child) => {
    if (isStopped || !text.includes('Ctrl-C to exit')) return;
    isStopped = true;
    child.stdin?.write('\u0003');
  });
  expect(code).toBe(130);
  expect(out).toContain('… ');
  expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
});

test('SIGTERM ends watch', async () => {
  const { out } = await shell(
    'ecsm-cli watch services --interval 1s > seen & pid=$!; until [ -s seen ]; do sleep 0.1; done; kill $pid; wait $pid; echo "ended $?"',
  );
  expect(out).toBe('ended 143\n');
  expect(readFileSync(join(directory, 'seen'), 'utf8')).toContain('orbit.camera');
});

test('uploads an image from a file', async () => {
  writeFileSync(join(directory, 'radar.tar'), Buffer.alloc(3_000_000, 7));
  const { code, out, err } = await shell(
    'ecsm-cli image upload radar.tar --chunk-size 1 --description radar@3.0.0#sylixos --wait',
  );
  expect({ code, out }).toEqual({ code: 0, out: 'radar.tar uploaded\n' });
  expect(err).not.toContain('Warning');
  expect(simulator.platform.imageByRef('radar@3.0.0#sylixos')).toBeDefined();
});
