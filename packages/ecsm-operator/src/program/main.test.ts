/** The program as a real process on a real registry, and a simulated platform over a socket. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { operatorKinds } from '../apis/kinds.ts';
import { launcher, openSite, run, telemetry } from './process.kit.ts';

const anyPort = ['--listen', '127.0.0.1:0'];
const listening = /health server listening url=(\S+)/;

describe('ecsm-operator run', () => {
  it('reconciles existing objects, follows a change of another process, and exits with 0', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    const { until, child, ended, output } = site.start(...site.places, ...anyPort, '--observe-seconds', '1');
    const [, url] = await until(listening);
    await expect.poll(() => site.running).toBe(2);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/readyz?verbose`)).text()).toContain('[+]platform ok');
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('controller_runtime_reconcile_total');

    await site.apply({
      ...telemetry(),
      spec: { ...telemetry().spec, deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['node-1'] } },
    });
    await expect.poll(() => site.running).toBe(3);
    child.kill('SIGTERM');
    expect(await ended, output()).toBe(0);
    expect(output()).toContain('operator stopped');
  });

  it('continues without a platform, and reports it in its readiness', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    await site.simulator.close();
    const { until, child, ended } = site.start(...site.places, ...anyPort);
    const [, url] = await until(listening);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).text()).toContain('[-]platform failed');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('waits for the lease of another process, and takes over when that one has stopped', async () => {
    const site = await openSite();
    const one = site.start(...site.places, ...anyPort, '--leader-elect');
    await one.until(/leader election: leading/);
    const other = site.start(...site.places, ...anyPort, '--leader-elect');
    await other.until(listening);
    await site.apply(telemetry());
    await expect.poll(() => site.running).toBe(2);
    expect(other.output()).not.toContain('leader election: leading');
    one.child.kill('SIGTERM');
    expect(await one.ended).toBe(0);
    await other.until(/leader election: leading/);
    expect(site.changes).toEqual(['POST /service']);
  });

  it('warns about another operator on the same registry without leader election', async () => {
    const site = await openSite();
    const one = site.start(...site.places, ...anyPort);
    await one.until(listening);
    const other = site.start(...site.places, ...anyPort);
    const warning = (pid: number | undefined) =>
      new RegExp(`WARN {2}another operator uses this registry, .*--leader-elect.* other=\\S*_${pid}_`);
    await other.until(warning(one.child.pid));
    await one.until(warning(other.child.pid));
    for (const { child, ended } of [one, other]) {
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });

  it('refuses an incomplete registry', async () => {
    const site = await openSite();
    const registry = await openRegistry(site.registry, { kinds: operatorKinds });
    const marker = { transfer: 'restore', source: 'fleet.backup', started: '2026-01-02T03:04:05Z', objects: 3 };
    await registry.store.commit([
      { type: 'put', key: 'transfers/incomplete', value: Buffer.from(JSON.stringify(marker)) },
    ]);
    await registry.close();
    const { ended, output } = site.start(...site.places, ...anyPort);
    expect(await ended).toBe(1);
    expect(output()).toBe(
      'ecsm-operator: the registry is incomplete: a restore of fleet.backup, started 2026-01-02T03:04:05Z, was never finished. Repeat it, or delete the registry\n',
    );
  });

  it('logs no secret at any level', async () => {
    const site = await openSite();
    await site.apply(telemetry({ vsoa: { password: 'hunter2' } }));
    const secret = ['--header', 'Authorization: Bearer hunter3'];
    const { until, child, ended, output } = site.start(...site.places, ...anyPort, ...secret, '--log-level', 'debug');
    await until(listening);
    await expect.poll(() => site.running).toBe(2);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output()).toContain('POST');
    expect(output()).not.toMatch(/hunter/);
  });

  it('names a port that is in use', async () => {
    const site = await openSite();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { ended, output } = site.start(...site.places, '--listen', `127.0.0.1:${port}`);
    expect(await ended).toBe(1);
    expect(output()).toContain('the address is in use; choose another port, or 0 for any free one');
    await new Promise((resolve) => holder.close(resolve));
  });
});

describe('ecsm-operator --once', () => {
  it('exits with 0 when everything is in the desired state, and changes nothing the second time', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    const first = site.start('--once', ...site.places);
    expect(await first.ended, first.output()).toBe(0);
    expect(first.output()).toContain('1 service reconciled');
    expect(site.running).toBe(2);
    const before = site.changes;
    const second = site.start('--once', ...site.places);
    expect(await second.ended, second.output()).toBe(0);
    expect(site.changes).toEqual(before);
  });

  it('corrects changes made while it was not running before it succeeds', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    expect(await site.start('--once', ...site.places).ended).toBe(0);
    const [service] = site.simulator.platform.services();
    site.simulator.platform.deleteService(service?.id ?? '');
    await expect.poll(() => site.simulator.platform.services().length).toBe(0);
    const again = site.start('--once', ...site.places);
    expect(await again.ended, again.output()).toBe(0);
    expect(site.running).toBe(2);
  });

  it('exits with 0 if there is nothing to do', async () => {
    const site = await openSite();
    const { ended, output } = site.start('--once', ...site.places);
    expect(await ended).toBe(0);
    expect(output()).toContain('0 services reconciled');
  });

  it('exits with 1, with what is missing and why, at its deadline', async () => {
    const site = await openSite();
    site.simulator.platform.failDeployments({ count: 1_000, message: 'no space left on device' });
    await site.apply(telemetry());
    const { ended, output } = site.start('--once', ...site.places, '--timeout-seconds', '4', '--log-level', 'error');
    expect(await ended).toBe(1);
    expect(output()).toContain(
      'ecsm-operator: timed out after 4 s: 1 of 1 services not reconciled:\n  default/telemetry: ',
    );
  });

  it('exits with 1 if the platform is unreachable', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    await site.simulator.close();
    const { ended, output } = site.start('--once', ...site.places, '--timeout-seconds', '3', '--log-level', 'error');
    expect(await ended).toBe(1);
    expect(output()).toMatch(/1 of 1 services not reconciled:\n {2}default\/telemetry: /);
  });
});

describe('ecsm-operator plan', () => {
  it('prints what would be done and why, and changes nothing', async () => {
    const site = await openSite();
    await site.apply(telemetry({ vsoa: { password: 'hunter2' } }));
    const { ended, output } = site.start('plan', 'telemetry', ...site.places);
    expect(await ended, output()).toBe(0);
    expect(output()).toMatch(/^default\/telemetry\n/);
    expect(output()).toMatch(/create/i);
    expect(output()).not.toContain('hunter2');
    expect(site.changes).toEqual([]);
    expect(site.simulator.platform.services()).toEqual([]);
  });

  it('reports for every service that there is nothing to do', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    expect(await site.start('--once', ...site.places).ended).toBe(0);
    const before = site.changes;
    const { ended, output } = site.start('plan', '--all', ...site.places);
    expect(await ended, output()).toBe(0);
    expect(output()).toMatch(/^default\/telemetry\n/);
    expect(site.changes).toEqual(before);
  });

  it('exits with 1 for a server that is not the platform', async () => {
    const site = await openSite();
    await site.apply(telemetry());
    const other = `${site.url}/other`;
    const { ended, output } = site.start('plan', 'telemetry', '--ecsm', other, '--registry', site.registry);
    expect(await ended).toBe(1);
    expect(output()).toContain(`ecsm-operator: ${other} has no endpoint GET /service: if this is not the platform, `);
  });

  it('exits with 1 for an unknown service', async () => {
    const site = await openSite();
    const { ended, output } = site.start('plan', 'orbit/nobody', ...site.places);
    expect(await ended).toBe(1);
    expect(output()).toBe('ecsm-operator: ECSMService "nobody" not found\n');
  });
});

describe('an invalid option', () => {
  it.each([
    [['--wrokers', '3'], 'unknown flag --wrokers. Did you mean "--workers"?'],
    [['--listen', '0.0.0.0:8090'], '--listen: refusing to listen on 0.0.0.0'],
    [['--ecsm', 'https://127.0.0.1', '--tls-ca', 'nowhere.pem'], '--tls-ca nowhere.pem: ENOENT'],
  ])('%j ends with 2 and a line that says why', async (argv, message) => {
    const { code, output } = await run(['--registry', 'memory:', ...argv]);
    expect(code).toBe(2);
    expect(output).toContain(`ecsm-operator: ${message}`);
    expect(output.trimEnd().split('\n')).toEqual([expect.any(String), 'Try: ecsm-operator --help']);
  });

  it('in a config file is reported with its position', async () => {
    const site = await openSite();
    const file = join(site.directory, 'operator.yaml');
    writeFileSync(file, 'ecsm: http://127.0.0.1:3001\nobserveSecond: 5\n');
    const { code, output } = await run(['--config', file]);
    expect(code).toBe(2);
    expect(output).toContain(`${file}:2:1: unknown setting "observeSecond". Did you mean "observeSeconds"?`);
  });

  it('a registry that cannot be opened exits with 1', async () => {
    const { code, output } = await run(['--registry', 'file:/proc/nowhere', '--listen', 'off']);
    expect(code).toBe(1);
    expect(output).toMatch(/^ecsm-operator: .*\/proc\/nowhere.*\n$/);
  });
});

it('can be started as a program', () => {
  const { status, stdout } = spawnSync(launcher, ['--version'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

it('prints its version and its options', async () => {
  expect(await run(['--version'])).toMatchObject({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  const { code, output } = await run(['--help']);
  expect(code).toBe(0);
  expect(output).toContain('--observe-seconds N');
});
