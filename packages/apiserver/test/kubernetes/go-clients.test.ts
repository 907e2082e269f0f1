/**
 * Goal: client-go and controller-runtime work on our server. Method: a Go program with these libraries starts
 * `ecsm-apiserver`, checks it, and prints one line per check. Without Go or its modules the test is skipped.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectChecks, launcher, run } from './checks.kit.ts';

/** The first build compiles client-go, which takes about 130 CPU seconds. */
const buildMsMax = 900_000;
const go = {
  cwd: fileURLToPath(new URL('../go', import.meta.url)),
  timeoutMs: buildMsMax,
  env: { CGO_ENABLED: '0' },
};

async function problemOfGo(): Promise<string | undefined> {
  if ((await run('go', ['version'], go)).code !== 0) return 'there is no Go to build the clients with';
  const modules = await run('go', ['list', '-deps', '.'], go);
  return modules.code === 0 ? undefined : `the Go modules cannot be had: ${modules.err.trimEnd().split('\n').at(-1)}`;
}

const problem = await problemOfGo();
if (problem !== undefined) process.stderr.write(`skipped: Go clients: ${problem}\n`);

describe.skipIf(problem !== undefined)('Go clients', () => {
  let directory: string;
  const program = () => join(directory, 'clients');

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-go-'));
    const built = await run('go', ['build', '-o', program(), '.'], go);
    expect(built, built.err).toMatchObject({ code: 0 });
  }, buildMsMax);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each([
    ['JSON', 'application/json', {}],
    ['protobuf requests', 'application/vnd.kubernetes.protobuf', {}],
    ['informers that list by a watch', 'application/json', { KUBE_FEATURE_WatchListClient: 'true' }],
  ])('pass all checks with %s', async (_, mediaType, env) => {
    await expectChecks(9, program(), [launcher, mkdtempSync(join(directory, 'home-')), mediaType], { env });
  });
});
