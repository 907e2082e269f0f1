/** `--wait` ends when the operation is complete, shows progress, and fails at the deadline. */
import { expect, test } from 'vitest';
import { createService, serviceBody, simulated } from './platform.kit.ts';

const file = (name: string, options = {}) => ({ 'x.yaml': JSON.stringify(serviceBody(name, options)) });

test('create waits until all containers are deployed', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  const { code, out, err } = await kit.run('create service -f x.yaml --wait', { files: file('x', { factor: 3 }) });
  expect({ code, out }).toEqual({ code: 0, out: 'service/x created\n' });
  expect(err).toMatch(/^waiting for service\/x to be deployed \(\d+ s of 5 min\): deploying, 0\/3 deployed$/m);
  const service = kit.simulator.platform.serviceNamed('x');
  expect(service && kit.simulator.platform.statusOfService(service)).toBe('complete');
});

test('a failed deployment ends the wait with its reason', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  kit.simulator.platform.failDeployments({ message: 'no space left on device', count: 1 });
  const { code, out, err } = await kit.run('create service -f x.yaml --wait', { files: file('x', { factor: 2 }) });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^ecsm-cli: 1 container of service\/x could not be deployed: no space left on device \(on node-\d\)$/m,
  );
});

test('fails at the deadline with the progress so far and a remedy', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  const { platform } = kit.simulator;
  platform.cutNode(platform.nodeNamed('node-1')?.id ?? '');
  const files = file('x', { nodes: ['node-1'] });
  const { code, out, err } = await kit.run('create service -f x.yaml --wait --timeout 20s', { files });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^ecsm-cli: timed out waiting for service\/x to be deployed after 20 s: deploying, 0\/1 deployed; the operation continues on the platform: check later, or increase --timeout$/m,
  );
});

test('shows a lost link and continues when it is back', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  await createService(kit, 'x', { factor: 1 });
  const waiting = kit.start(['redeploy', 'x', '--wait', '--timeout', '5m']);
  await expect.poll(() => waiting.err.text).toContain('waiting for service/x');
  kit.simulator.link.set({ lossPercent: 100 });
  await expect.poll(() => waiting.err.text).toMatch(/does not respond|last contact \d+ s ago/);
  kit.simulator.link.heal();
  expect(await waiting.exit).toBe(0);
  expect(waiting.out.text).toBe('service/x redeployed\n');
});

test('Ctrl-C ends the wait, not the operation', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  await createService(kit, 'x', { factor: 1 });
  const waiting = kit.start(['redeploy', 'x', '--wait'], { terminal: { columns: 80, rows: 24 } });
  await expect.poll(() => waiting.err.text).toContain('waiting for service/x');
  waiting.interrupt();
  expect(await waiting.exit).toBe(130);
  expect(waiting.out.text).toBe('');
  expect(waiting.err.text.endsWith('\u001b[?25h')).toBe(true);
  expect(waiting.err.text).not.toContain('ecsm-cli:');
});

test.each([
  ['stop x --wait', 'service/x stopped', 'exited'],
  ['pause x --wait', 'service/x paused', 'paused'],
  ['restart x --wait', 'service/x restarted', 'running'],
  ['scale x --replicas 3 --wait', 'service/x scaled', 'running'],
  ['redeploy x --wait', 'service/x redeployed', 'running'],
  ['delete x --yes --wait', 'service/x deleted', undefined],
])('%s', async (line, output, state) => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  await createService(kit, 'x', { factor: 2 });
  await expect.poll(async () => (await kit.run('get services -o jsonpath={.items[0].instanceOnline}')).out).toBe('2');
  const { code, out } = await kit.run(line);
  expect({ code, out }).toEqual({ code: 0, out: `${output}\n` });
  const { platform } = kit.simulator;
  const service = platform.serviceNamed('x');
  const states = service && platform.containersOfService(service.id).map((container) => platform.statusOf(container));
  expect([...new Set(states)]).toEqual(state === undefined ? [] : [state]);
});

test('a restart is not complete while the old container runs', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  await createService(kit, 'x', { factor: 1 });
  const startedTime = async () => (await kit.run('get containers -o jsonpath={.items[0].startedTime}')).out;
  await expect.poll(startedTime).not.toBe('');
  await expect.poll(async () => (await kit.run('get containers -o jsonpath={.items[0].status}')).out).toBe('running');
  const before = await startedTime();
  kit.simulator.platform.setBehaviour({ stopMs: 20_000 });
  expect(await kit.run('restart x --wait')).toMatchObject({ code: 0, out: 'service/x restarted\n' });
  expect(await startedTime()).not.toBe(before);
});

test.each(['likely', 'contrary'] as const)('waits for a rollback with the %s profile', async (behaviour) => {
  const kit = await simulated({ behaviour, isQuick: true });
  await createService(kit, 'x', { factor: 1 });
  const edited = serviceBody('x', { factor: 1, image: 'telemetry@1.1.0#sylixos' });
  expect(
    await kit.run('update service -f x.yaml --wait', { files: { 'x.yaml': JSON.stringify(edited) } }),
  ).toMatchObject({
    code: 0,
    out: 'service/x updated\n',
  });
  const { out } = await kit.run('get records --service x -o json');
  const records: { items: { id: string; image: unknown }[] } = JSON.parse(out);
  const first = records.items.find(({ image }) => JSON.stringify(image).includes('1.0.0'));
  const { code, err } = await kit.run(['rollback', 'x', '--to', first?.id ?? '', '--wait']);
  expect({ code, error: /ecsm-cli:.*/.exec(err)?.[0] }).toEqual({ code: 0, error: undefined });
  expect(kit.simulator.platform.serviceNamed('x')?.image.ref).toBe('telemetry@1.0.0#sylixos');
});

test('shows the progress of a sync', async () => {
  const kit = await simulated({ behaviour: 'likely', isQuick: true });
  const { platform } = kit.simulator;
  const { id } = platform.addRegistry({ name: 'remote', address: 'http://10.0.0.99:5000', standard: 'ecsm' });
  platform.pushImage({ name: 'radar', tag: '1.0.0', os: 'sylixos', sizeBytes: 200_000_000, registryId: id });
  const { code, out, err } = await kit.run(`image sync radar --registry ${id} --wait`, {
    terminal: { columns: 140, rows: 24 },
  });
  expect({ code, out }).toEqual({ code: 0, out: 'image/radar@1.0.0#sylixos synced\n' });
  expect(err).toMatch(/waiting for image\/radar@1.0.0#sylixos to be synced \(\d+ s of 5 min\): \[█+.*\] \d+%, running/);
});
