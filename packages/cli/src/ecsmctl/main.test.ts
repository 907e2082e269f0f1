/** ecsmctl as a real process, bundled from the sources in pieces, so that one sees which of them a command loads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry, registryKit } from './shared/registry.kit.ts';

const kit = registryKit();
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const bundled = mkdtempSync(join(tmpdir(), 'ecsmctl-bundle-'));
/** The same without anything around it: whatever it would load from outside is missing. */
const bare = mkdtempSync(join(tmpdir(), 'ecsmctl-bare-'));

beforeAll(async () => {
  await fillRegistry(kit);
  const source = (path: string) => join(root, 'packages', path, 'src', 'index.ts');
  const commandLine = {
    '@ecsm/command-line': source('command-line'),
    '@ecsm/runtime/lib': join(root, 'packages', 'runtime', 'src', 'lib', 'public.ts'),
  };
  const common: BuildOptions = {
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  };
  await build({
    ...common,
    outdir: bundled,
    external: ['@photostructure/sqlite', 'yaml'],
    alias: {
      ...commandLine,
      '@ecsm/runtime/cron': join(root, 'packages', 'runtime', 'src', 'cron', 'public.ts'),
      '@ecsm/runtime': source('runtime'),
      '@ecsm/client': source('ecsm-client'),
      '@ecsm/operator/kinds': join(root, 'packages', 'ecsm-operator', 'src', 'apis', 'public.ts'),
      '@ecsm/operator': source('ecsm-operator'),
    },
  });
  await build({
    ...common,
    outdir: bare,
    external: ['@ecsm/runtime', '@ecsm/runtime/cron', '@ecsm/client', '@ecsm/operator', '@ecsm/operator/kinds', 'yaml'],
    alias: commandLine,
    define: { __ECSM_VERSION__: '"1.2.3"' },
  });
  symlinkSync(join(root, 'node_modules'), join(bundled, 'node_modules'));
  for (const directory of [bundled, bare]) writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
});

afterAll(() => {
  for (const directory of [bundled, bare]) rmSync(directory, { recursive: true, force: true });
});

function start(directory: string, argv: readonly string[]) {
  const child = spawn(process.execPath, [join(directory, 'main.js'), ...argv], {
    cwd: kit.directory,
    env: { PATH: process.env['PATH'], HOME: kit.directory, ECSM_REGISTRY: kit.url },
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    texts.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    texts.err += chunk;
  });
  return { child, texts, ended: once(child, 'close').then(([code]) => ({ code, ...texts })) };
}

describe('the process', () => {
  it.each([['version'], ['--help'], ['get', '--help'], ['completion', 'bash']])(
    'loads nothing of the registry for %s %s',
    async (...argv) => {
      const { code, out, err } = await start(
        bare,
        argv.filter((word) => word !== undefined),
      ).ended;
      expect({ code, err }).toEqual({ code: 0, err: '' });
      if (argv[0] === 'version') expect(out).toBe('ecsmctl 1.2.3\n');
    },
  );

  it('loads it for a command that needs it', async () => {
    const { code, err } = await start(bare, ['get', 'services']).ended;
    expect(code).toBe(1);
    expect(err).toContain("Cannot find package '@ecsm/");
  });

  it('reads a registry', async () => {
    const { code, out, err } = await start(bundled, ['get', 'services', '-A', '-o', 'name']).ended;
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'ecsmservice/camera\necsmservice/telemetry\necsmservice/radar\n',
      err: '',
    });
  });

  it('watches until Ctrl-C, and exits without a message', async () => {
    const { child, texts, ended } = start(bundled, ['get', 'services', '-w', '-o', 'name']);
    child.stdout.on('data', () => {
      if (texts.out.includes('telemetry')) child.kill('SIGINT');
    });
    expect(await ended).toEqual({ code: 130, out: 'ecsmservice/camera\necsmservice/telemetry\n', err: '' });
  });

  it('ends without an error when the pipe it writes to is closed', async () => {
    const { child, ended } = start(bundled, ['explain', 'service', '--recursive']);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});
