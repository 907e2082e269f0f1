/**
 * Goal: Kubernetes' JavaScript client works on our server. Method: a program with this library, which
 * `make test-kubernetes` installs outside the checkout, starts `ecsm-apiserver`, checks it, and prints one line per check.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it, onTestFinished } from 'vitest';
import { expectChecks, launcher } from './checks.kit.ts';

const installed = process.env['CLIENT_NODE'] ?? '';
const program = fileURLToPath(new URL('../client-node/checks.mjs', import.meta.url));
if (installed === '') process.stderr.write('skipped: client-node: CLIENT_NODE does not name its directory\n');

describe.skipIf(installed === '')('@kubernetes/client-node', () => {
  it('passes all checks', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-client-node-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    await expectChecks(4, process.execPath, [program, installed, launcher, directory]);
  });
});
