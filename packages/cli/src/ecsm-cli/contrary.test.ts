/** Commands work with every assumption about the platform and with its opposite. */
import { expect, test } from 'vitest';
import { createService, serviceBody, simulated } from './platform.kit.ts';

const lines: readonly string[] = [
  'get nodes -o wide',
  'get services -o wide',
  'get service x -o yaml',
  'get containers -o wide',
  'get images --limit 3',
  'get records --service x',
  'describe service x',
  'describe node node-1',
  'top nodes',
  'top containers',
  'node check',
  'watch --for 2s',
  'scale x --replicas 2 --wait',
  'stop x --wait',
  'start x --wait',
  'restart x --wait',
  'pause x --wait',
  'unpause x --wait',
  'redeploy x --wait',
  'update service -f x.yaml --wait',
  'delete x --yes --wait',
];

test.each(['likely', 'contrary'] as const)('every command works with the %s profile', async (behaviour) => {
  const kit = await simulated({ behaviour, isQuick: true });
  await createService(kit, 'x', { factor: 1 });
  const files = { 'x.yaml': JSON.stringify(serviceBody('x', { factor: 2, image: 'telemetry@1.1.0#sylixos' })) };
  for (const line of lines) {
    const { code, err } = await kit.run(line, { files });
    expect({ line, code, error: /^ecsm-cli:.*/m.exec(err)?.[0] }).toEqual({ line, code: 0, error: undefined });
  }
  expect(await kit.run('get services')).toMatchObject({ code: 0, out: '', err: 'No services found.\n' });
});

test.each(['likely', 'contrary'] as const)('reports missing objects with the %s profile', async (behaviour) => {
  const kit = await simulated({ behaviour });
  for (const kind of ['node', 'service', 'container', 'image', 'record']) {
    const { code, err } = await kit.run(`get ${kind} nothing-of-that-name`);
    expect(code).toBe(1);
    expect(err).toContain(`there is no ${kind} "nothing-of-that-name"`);
  }
});

test('lists nodes of more than one page', async () => {
  const kit = await simulated({ nodes: 250, behaviour: 'contrary' });
  const { out } = await kit.run('get nodes -o name');
  expect(out.trim().split('\n')).toHaveLength(250);
  expect((await kit.run('get nodes -o name --limit 120')).out.trim().split('\n')).toHaveLength(120);
  expect((await kit.run('node check --no-headers')).out.trim().split('\n')).toHaveLength(250);
});
