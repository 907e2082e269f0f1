import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContainerProcess } from './container-process.ts';
import { type NameLookup, processWrapper } from './name-lookup.ts';
import { mountsAreAllowed, nssWrapper } from './tools.kit.ts';

const wrapper = nssWrapper();
const areMountsAllowed = await mountsAreAllowed();
let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'process-node-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const files = () => ({ hostsFile: join(directory, 'hosts'), resolverFile: join(directory, 'resolv.conf') });

async function start(only: NameLookup, script: string) {
  const { wrap } = await processWrapper({
    ...files(),
    only,
    ...(wrapper === undefined ? {} : { nssWrapper: wrapper }),
  });
  const environment = { PATH: process.env['PATH'] ?? '' };
  const command = wrap({ file: process.execPath, arguments: ['-e', script], environment });
  return new ContainerProcess(command, directory, join(directory, 'log'));
}

const output = () => (existsSync(join(directory, 'log')) ? readFileSync(join(directory, 'log'), 'utf8') : '');

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a container process', () => {
  it('reports its exit code, and appends its output to the log', async () => {
    const child = await start('none', 'console.log("out"); console.error("err"); process.exit(3)');
    expect(await child.exited).toEqual({ exitCode: 3 });
    expect(output()).toBe('out\nerr\n');
    child.signal('SIGKILL');
  });

  it('reports the signal that ended it', async () => {
    const child = await start('none', 'console.log("up"); setInterval(() => {}, 1000)');
    await expect.poll(output).toBe('up\n');
    child.signal('SIGKILL');
    expect(await child.exited).toEqual({ exitCode: 137, signal: 'SIGKILL' });
    expect(child.hasExited).toBe(true);
  });

  it('reports that it could not be started', async () => {
    const missing = { file: join(directory, 'missing'), arguments: [], environment: {} };
    const child = new ContainerProcess(missing, directory, join(directory, 'log'));
    expect(await child.exited).toMatchObject({ exitCode: 128, message: expect.stringContaining('ENOENT') });
  });

  it('does not leave its own children behind', async () => {
    const grandchild = 'require("node:child_process").spawn("sleep", ["1000"], { stdio: "ignore" }).pid';
    const child = await start('none', `console.log(${grandchild}); process.exit(0)`);
    await child.exited;
    await expect.poll(() => isRunning(Number(output()))).toBe(false);
  });
});

describe('name lookup', () => {
  const lookUp = (name: string) =>
    `require("node:dns").lookup(${JSON.stringify(name)}, (error, address) => console.log(error?.code ?? address))`;

  const resolves = async (only: NameLookup) => {
    writeFileSync(files().hostsFile, '127.0.0.1 localhost\n127.3.2.1 main-0.main-peer.default.svc\n');
    const child = await start(only, lookUp('main-0.main-peer.default.svc'));
    await child.exited;
    expect(output()).toBe('127.3.2.1\n');
  };

  it.skipIf(!areMountsAllowed)('by mount resolves the names of the hosts file', () => resolves('mount'));

  it.skipIf(wrapper === undefined)('by preload resolves the names of the hosts file', () => resolves('preload'));

  it.skipIf(wrapper === undefined)('uses the wrapper that is named, and no other', async () => {
    const missing = processWrapper({ ...files(), only: 'preload', nssWrapper: join(directory, 'missing.so') });
    await expect(missing).rejects.toThrow('libnss_wrapper.so was not found');
  });
});
