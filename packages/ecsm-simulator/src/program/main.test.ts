/** The program as a real process. It runs what was built, so build first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../../../bin/ecsm-sim', import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number | null>;
  /** Where it listens; fails if it ends instead. */
  readonly url: Promise<string>;
}

describe('ecsm-sim', () => {
  let folder: string;
  const running: Started[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ecsm-sim-'));
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function start(argv: readonly string[]): Started {
    const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    const url = new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        const found = /listens on (\S+)/.exec(stdout)?.[1];
        if (found) resolve(found);
      });
      child.on('close', (code) => reject(new Error(`it ended with ${code}: ${stderr}`)));
    });
    url.catch(() => {});
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const started = { child, ended, url, output: () => ({ stdout, stderr }) };
    running.push(started);
    return started;
  }

  const listen = ['--listen', '127.0.0.1:0'];

  async function stop({ child, ended }: Started): Promise<number | null> {
    child.kill('SIGTERM');
    return ended;
  }

  /** What it says of itself, as far as these tests look. */
  interface Said {
    readonly id: string;
    readonly data: { readonly list: readonly { readonly id: string }[] };
    readonly state: Readonly<
      Record<'nodes' | 'services' | 'containers', Readonly<Record<string, { readonly name: string }>>>
    > & { readonly behaviour: object };
  }

  async function json(url: string, init?: RequestInit): Promise<Said> {
    return (await (await fetch(url, init)).json()) as Said;
  }

  it('prints its address, logs each call, and exits with 0', async () => {
    const started = start([...listen, '--nodes', '5']);
    const url = await started.url;
    expect(await json(`${url}/api/v1/node?pageNum=1&pageSize=2`)).toMatchObject({ status: 200, data: { total: 5 } });
    await json(`${url}/sim/nodes/node-1/cut`, { method: 'POST' });
    expect(await stop(started)).toBe(0);
    const { stdout, stderr } = started.output();
    expect(stdout).toBe(`ecsm-sim listens on ${url}\n`);
    expect(stderr).toMatch(/INFO {2}GET \/api\/v1\/node\?pageNum=1&pageSize=2 status=200 bytesUp=\d+ bytesDown=\d+/);
    expect(stderr).toContain('POST /sim/nodes/node-1/cut status=200');
  });

  it('logs events of the platform when they happen', async () => {
    const started = start([...listen, '--services', '1', '--log-format', 'json', '--profile', 'instant']);
    const url = await started.url;
    const { state } = await json(`${url}/sim/state`);
    const [container] = Object.values(state.containers);
    await json(`${url}/sim/containers/${container?.name}/kill`, { method: 'POST' });
    await expect
      .poll(
        () =>
          started
            .output()
            .stderr.split('\n')
            .filter((line) => line.includes(container?.name ?? '?')).length,
      )
      .toBeGreaterThan(1);
    for (const line of started.output().stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
  });

  it('can be called from the command line, with the result as exit code', async () => {
    const simulator = start([...listen, '--quiet']);
    const to = ['--to', new URL(await simulator.url).origin];
    const cut = start(['call', 'POST', '/sim/nodes/node-1/cut', ...to]);
    expect(await cut.ended).toBe(0);
    const seen = start(['call', '/api/v1/node?pageNum=1&pageSize=1&name=node-1', ...to]);
    expect(await seen.ended).toBe(0);
    expect(JSON.parse(seen.output().stdout)).toMatchObject({ data: { list: [{ name: 'node-1', status: 'offline' }] } });
    const wrong = start(['call', 'POST', '/sim/nodes/node-9/cut', ...to]);
    expect(await wrong.ended).toBe(1);
    expect(wrong.output().stdout).toContain('node-9');
    await stop(simulator);
    const unanswered = start(['call', '/sim/', ...to]);
    expect(await unanswered.ended).toBe(1);
    expect(unanswered.output().stderr).toContain('connection refused; is ecsm-sim running?');
  });

  it('deploys a starting load', async () => {
    const started = start([...listen, '--services', '7', '--quiet']);
    expect(await json(`${await started.url}/sim/summary`)).toMatchObject({
      nodes: { total: 3 },
      services: { total: 7 },
      containers: { total: 21 },
    });
    await stop(started);
    expect(started.output().stderr).toBe('');
  });

  it('creates the same platform with the same seed', async () => {
    const nodes = async (seed: string) => {
      const started = start([...listen, '--seed', seed]);
      const { data } = await json(`${await started.url}/api/v1/node?pageNum=1&pageSize=10`);
      return data.list.map(({ id }) => id);
    };
    const first = await nodes('11');
    expect(await nodes('11')).toEqual(first);
    expect(await nodes('12')).not.toEqual(first);
  });

  it('keeps its state between runs', async () => {
    const file = join(folder, 'state.json');
    const one = start([...listen, '--state', file, '--services', '2', '--nodes', '4']);
    const added = await json(`${await one.url}/sim/nodes`, { method: 'POST', body: '{"name":"spare"}' });
    expect(added).toMatchObject({ ok: true });
    expect(await stop(one)).toBe(0);
    const other = start([...listen, '--state', file, '--set', 'update=roll']);
    const { state } = await json(`${await other.url}/sim/state`);
    expect(Object.values(state.services).map(({ name }) => name)).toEqual(['load-1', 'load-2']);
    expect(Object.values(state.nodes).map(({ name }) => name)).toContain('spare');
    expect(state.nodes[added.id]?.name).toBe('spare');
    expect(state.behaviour).toMatchObject({ update: 'roll', rename: 'accept' });
  });

  it('has saved the state of a second ago when it is killed', async () => {
    const file = join(folder, 'state.json');
    const one = start([...listen, '--state', file]);
    await json(`${await one.url}/sim/nodes`, { method: 'POST', body: '{"name":"spare"}' });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').includes('"spare"')).toBe(true);
    one.child.kill('SIGKILL');
    await one.ended;
    const other = start([...listen, '--state', file]);
    expect(await json(`${await other.url}/sim/summary`)).toMatchObject({ nodes: { total: 4 } });
  });

  it.each([
    ['empty', '', 'it is empty'],
    ['cut in the middle', '{"version":1,"nodes":{', 'JSON'],
    ['of something else', '{"hello":"there"}', 'not the state of a simulator'],
    ['damaged', '{"version":1,"seed":1,"counter":0,"nowMs":0,"behaviour":{},"nodes":5}', 'state.nodes should be'],
  ])('rejects a state file that is %s, and keeps it', async (_what, content, message) => {
    const file = join(folder, 'state.json');
    writeFileSync(file, content);
    const started = start([...listen, '--state', file]);
    expect(await started.ended).toBe(2);
    const { stderr, stdout } = started.output();
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('rejects an invalid state file', async () => {
    const directory = start([...listen, '--state', folder]);
    expect(await directory.ended).toBe(2);
    expect(directory.output().stderr).toContain('it is not a file');
    const nowhere = start([...listen, '--state', join(folder, 'no', 'such', 'folder.json')]);
    expect(await nowhere.ended).toBe(2);
    expect(nowhere.output().stderr).toContain('does not exist');
  });

  it('reports a port that is in use, with a hint', async () => {
    const one = start(listen);
    const { port } = new URL(await one.url);
    const other = start(['--listen', `127.0.0.1:${port}`]);
    expect(await other.ended).toBe(1);
    expect(other.output().stderr).toBe(
      `ecsm-sim: the address 127.0.0.1:${port} is unavailable: the port is in use; choose another port, or 0 for any free one\n`,
    );
  });

  it('listens on this machine only, unless configured otherwise', async () => {
    const started = start(['--listen', '0.0.0.0:0']);
    expect(await started.ended).toBe(1);
    expect(started.output().stderr).toMatch(/does not listen on 0\.0\.0\.0: .* --allow-remote/);
  });

  it('describes an invalid option, and exits with 2', async () => {
    const started = start(['--noeds', '3']);
    expect(await started.ended).toBe(2);
    expect(started.output().stderr).toBe(
      'ecsm-sim: unknown flag --noeds. Did you mean "--nodes"?\nTry: ecsm-sim --help\n',
    );
  });

  it('runs from bin/, and prints its version and options', async () => {
    const version = start(['--version']);
    expect(await version.ended).toBe(0);
    expect(version.output().stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = start(['--help']);
    expect(await help.ended).toBe(0);
    expect(help.output().stdout).toContain('--listen HOST:PORT');
  });
});
