import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, pod, startNode, type TestNode } from './node.kit.ts';

afterEach(cleanUp);

const probe = { httpGet: { path: '/health', port: 'http' }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 1 };
const ports = [{ name: 'http', containerPort: 8080 }];

/** What `/health` answers from now on. */
function answer(test: TestNode, status: number | undefined): void {
  const file = join(test.node.pods()[0]?.directory ?? '', 'health');
  if (status === undefined) rmSync(file);
  else writeFileSync(file, String(status));
}

describe('probes', () => {
  it('of readiness take a container out of service, and do not restart it', async () => {
    const test = await startNode();
    await test.pods.create(pod({ ports, readinessProbe: probe }));
    await expect.poll(() => test.ready('web')).toBeDefined();
    answer(test, 503);
    await expect.poll(() => test.ready('web')).toBeUndefined();
    const { conditions = [] } = (await test.status('web')) ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
    });
    answer(test, undefined);
    await expect.poll(() => test.ready('web')).toBeDefined();
    expect((await test.container('web'))?.restartCount).toBe(0);
  });

  it('of liveness restart a container', async () => {
    const test = await startNode();
    await test.pods.create(pod({ ports, livenessProbe: { ...probe, failureThreshold: 3 } }));
    await expect.poll(() => test.ready('web')).toBeDefined();
    answer(test, 500);
    await expect.poll(async () => (await test.container('web'))?.restartCount).toBeGreaterThan(0);
    answer(test, undefined);
    await expect.poll(() => test.ready('web')).toBeDefined();
    expect((await test.container('web'))?.lastState?.terminated).toMatchObject({
      message: 'Liveness probe failed: HTTP status 500',
    });
  });

  it('of liveness restart a container that hangs', async () => {
    const test = await startNode();
    const livenessProbe = { ...probe, timeoutSeconds: 1, failureThreshold: 3 };
    await test.pods.create(pod({ ports, livenessProbe }, { terminationGracePeriodSeconds: 1 }));
    await expect.poll(() => test.ready('web')).toBeDefined();
    test.node.signal('web', 'SIGSTOP');
    await expect.poll(async () => (await test.container('web'))?.lastState?.terminated?.exitCode).toBe(137);
    await expect.poll(() => test.ready('web')).toBeDefined();
  });

  it('of startup hold the others back, and restart a container that does not start', async () => {
    const test = await startNode();
    await test.pods.create(
      pod({
        ports,
        startupProbe: { ...probe, failureThreshold: 60 },
        livenessProbe: { ...probe, httpGet: { path: '/health', port: 1 } },
      }),
    );
    // Liveness starts after the startup probe has succeeded, and fails: nothing listens on its port.
    await expect
      .poll(async () => (await test.container('web'))?.lastState?.terminated?.message)
      .toMatch(/^Liveness probe failed/u);
    const tcpSocket = { port: 1 };
    await test.pods.create({
      ...pod({ startupProbe: { tcpSocket, periodSeconds: 1, failureThreshold: 1 } }),
      metadata: { name: 'other' },
    });
    await expect
      .poll(async () => (await test.container('other'))?.lastState?.terminated?.message)
      .toMatch(/^Startup probe failed/u);
    expect((await test.container('other'))?.ready).toBe(false);
  });
});
