/** The output of the commands of the repository. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root, run } from './documents.kit.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ecsm-make-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

it('make help lists every target with a description', async () => {
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
  const targets = /^\.PHONY: (.*)$/m.exec(makefile)?.[1]?.split(' ') ?? [];
  const { code, output } = await run('make', ['help']);
  expect(code, output).toBe(0);
  const listed = [...output.matchAll(/^ {2}make ([a-z-]+) +\S/gm)].map(([, name]) => name);
  expect(listed).toEqual(targets.filter((name) => name !== 'check-node' && name !== 'test-tools'));
});

describe('scripts/test.mjs ends with the numbers of passed and failed tests', () => {
  // A separate root, so that these tests are not part of other runs.
  const runTests = (...lines: string[]) => {
    writeFileSync(join(scratch, 'tiny.test.js'), lines.join('\n'));
    return run(process.execPath, ['scripts/test.mjs', `--root=${scratch}`, '--globals']);
  };
  const lastLine = (output: string) => output.trimEnd().split('\n').at(-1);

  it('all passed', async () => {
    const { code, output } = await runTests("it('adds', () => expect(1 + 1).toBe(2));", "it.skip('later', () => {});");
    expect(lastLine(output)).toBe('1 passed, 0 failed, 1 skipped');
    expect(code).toBe(0);
  });

  it('one failed', async () => {
    const { code, output } = await runTests("it('adds', () => expect(1 + 1).toBe(3));", "it('is', () => {});");
    expect(lastLine(output)).toBe('1 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('a file that does not load counts as failed', async () => {
    const { code, output } = await runTests("throw new Error('broken');");
    expect(lastLine(output)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('no test at all counts as failed', async () => {
    const { code, output } = await run(process.execPath, ['scripts/test.mjs', `--root=${scratch}`]);
    expect(lastLine(output)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });
});

describe('scripts/ensure-tool.sh', () => {
  /** Runs a copy in a directory without .tools, with only the given programs on the PATH. */
  const ensure = (programs: Readonly<Record<string, string>>) => {
    const bin = join(scratch, 'bin');
    for (const folder of [bin, join(scratch, 'scripts')]) mkdirSync(folder);
    const copy = join(scratch, 'scripts', 'ensure-tool.sh');
    copyFileSync(join(root, 'scripts', 'ensure-tool.sh'), copy);
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
    for (const name of ['dirname', 'mkdir', 'id']) symlinkSync(locate(name), join(bin, name));
    return run('/bin/sh', [copy, 'etcd', 'etcd-server'], { env: { PATH: bin } });
  };
  const failing = '#!/bin/sh\nexit 1\n';

  it('prints the reason and exits with 0 without etcd and apt-get', async () => {
    const { code, output } = await ensure({});
    expect(output).toMatch(/^etcd: not on the PATH, and .*apt-get.*\n$/);
    expect(code).toBe(0);
  });

  it('prints an error and exits with 0 if it cannot be fetched', async () => {
    const { code, output } = await ensure({ 'apt-get': failing, dpkg: failing, sudo: failing });
    expect(output).toContain('etcd: could not be fetched, see .tools/apt.log');
    expect(code).toBe(0);
  });

  it('prints nothing if etcd is on the PATH', async () => {
    expect(await ensure({ etcd: failing })).toEqual({ code: 0, output: '' });
  });
});

it('scripts/ensure-etcd.sh prints the reason and exits with 0 if no package is known', async () => {
  const copy = join(scratch, 'scripts', 'ensure-etcd.sh');
  mkdirSync(join(scratch, 'scripts'));
  copyFileSync(join(root, 'scripts', 'ensure-etcd.sh'), copy);
  const { code, output } = await run('/bin/sh', [copy, '3.9']);
  expect(output).toBe('etcd 3.9: there is no known package for this machine\n');
  expect(code).toBe(0);
});

function locate(program: string): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      readFileSync(path);
      return path;
    } catch {}
  }
  throw new Error(`${program} is not on the PATH`);
}
