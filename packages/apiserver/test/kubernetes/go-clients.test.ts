/**
 * Goal: client-go and controller-runtime work on our server. Method: a Go program with these libraries starts
 * `ecsm-apiserver`, checks it, and prints one line per check. Without Go or its modules the test is skipped.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../go', import.meta.url));
const launcher = fileURLToPath(new URL('../../../../bin/ecsm-apiserver', import.meta.url));
/** The first build compiles client-go, which takes about 130 CPU seconds. */
const buildMsMax = 900_000;

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(file: string, argv: readonly string[], timeout: number, env: NodeJS.ProcessEnv = {}): Promise<Result> {
  return new Promise((resolve) => {
    const options = { cwd: source, timeout, env: { ...process.env, ...env } };
    execFile(file, argv, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out, err: error === null ? err : `${err}${error.message}` });
    });
  });
}

async function problemOfGo(): Promise<string | undefined> {
  if ((await run('go', ['version'], 60_000)).code !== 0) return 'there is no Go to build the clients with';
  const modules = await run('go', ['list', '-deps', '.'], buildMsMax, { CGO_ENABLED: '0' });
  return modules.code === 0 ? undefined : `the Go modules cannot be had: ${modules.err.split('\n').at(-2)}`;
}

const problem = await problemOfGo();
if (problem !== undefined) process.stderr.write(`skipped: Go clients: ${problem}\n`);

describe.skipIf(problem !== undefined)('Go clients', () => {
  let directory: string;
  const program = () => join(directory, 'clients');

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-go-'));
    const built = await run('go', ['build', '-o', program(), '.'], buildMsMax, { CGO_ENABLED: '0' });
    expect(built, built.err).toMatchObject({ code: 0 });
  }, buildMsMax);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each([
    ['JSON', 'application/json', {}],
    ['protobuf requests', 'application/vnd.kubernetes.protobuf', {}],
    ['informers that list by a watch', 'application/json', { KUBE_FEATURE_WatchListClient: 'true' }],
  ])('pass all checks with %s', async (_, mediaType, env) => {
    const home = mkdtempSync(join(directory, 'home-'));
    const { code, out, err } = await run(program(), [launcher, home, mediaType], 110_000, env);
    const lines = out.trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('ok ')).join('\n') + err).toBe('');
    expect(lines.length).toBeGreaterThanOrEqual(9);
    expect(code).toBe(0);
  });
});
