/** `top` and `watch` over time, on a terminal and in a pipe. */
import { expect, test } from 'vitest';
import { createService, type Kit, simulated } from './platform.kit.ts';

const terminal = { columns: 80, rows: 24 };

const control = '\u001b';

/** The last screen. */
const screenOf = (kit: Kit, text: string) =>
  kit.shown(text.split('\r').at(-1) ?? '').replace(new RegExp(`${control}\\[[\\d?]*[A-Za-z]`, 'g'), '');

test('top refreshes its table and restores the cursor', async () => {
  const kit = await simulated({ isQuick: true });
  await createService(kit, 'telemetry', { factor: 2 });
  const top = kit.start(['top', 'nodes', '--interval', '5s'], { terminal });
  await expect.poll(() => top.out.text).toContain('Ctrl-C to exit');
  expect(screenOf(kit, top.out.text)).toMatch(/NAME +STATUS +CPU[\s\S]*node-1 +online +\d+%/);
  const { platform } = kit.simulator;
  platform.cutNode(platform.nodeNamed('node-2')?.id ?? '');
  await expect.poll(() => screenOf(kit, top.out.text)).toMatch(/node-2 +offline +- +- /);
  top.interrupt();
  expect(await top.exit).toBe(130);
  expect(top.out.text.endsWith('\u001b[?25h')).toBe(true);
  expect(top.err.text).toBe('');
});

test('top shows the time since the last contact above the last table', async () => {
  const kit = await simulated({ isQuick: true });
  const top = kit.start(['top', 'nodes', '--timeout', '20s'], { terminal });
  await expect.poll(() => top.out.text).toContain('node-3');
  kit.simulator.link.set({ lossPercent: 100 });
  await expect.poll(() => screenOf(kit, top.out.text)).toMatch(/no response, last contact 4\d s ago/);
  expect(screenOf(kit, top.out.text)).toContain('node-3');
  kit.simulator.link.heal();
  await expect.poll(() => screenOf(kit, top.out.text)).toContain('Ctrl-C to exit');
  top.interrupt();
  expect(await top.exit).toBe(130);
});

test('watch shows services on a terminal as they change', async () => {
  const kit = await simulated({ isQuick: true, behaviour: 'likely' });
  const watch = kit.start(['watch', '--interval', '1s'], { terminal });
  await expect.poll(() => watch.out.text).toContain('NAME');
  await createService(kit, '遥测', { factor: 2 });
  await expect.poll(() => watch.out.text).toMatch(/遥测 +deploying/);
  await expect.poll(() => screenOf(kit, watch.out.text)).toMatch(/遥测 +complete +2\/2/);
  watch.interrupt('SIGTERM');
  expect(await watch.exit).toBe(143);
});

test('watch prints a line for each change in a pipe, and ends without an error', async () => {
  const kit = await simulated({ isQuick: true, behaviour: 'likely' });
  await createService(kit, 'camera', { nodes: ['node-1'] });
  const watch = kit.start(['watch', 'services', '--interval', '1s', '--timeout', '2s']);
  await expect.poll(() => watch.out.text).toMatch(/camera +complete +1\/1/);
  await kit.run('delete camera --yes');
  await expect.poll(() => watch.out.text).toMatch(/camera +deleted/);
  kit.simulator.link.set({ lossPercent: 100 });
  await expect.poll(() => watch.err.text).toContain('no response');
  kit.simulator.link.heal();
  await expect.poll(() => watch.err.text).toContain('responds again');
  const lines = watch.out.text.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^NAME +STATUS/);
  expect(new Set(lines).size).toBe(lines.length);
  expect(watch.out.text).not.toContain('\u001b');
  watch.interrupt();
  expect(await watch.exit).toBe(130);
});

test('watch ends when its output is closed, and after --for', async () => {
  const kit = await simulated({ isQuick: true });
  const watch = kit.start(['watch', 'nodes', '--interval', '1s']);
  await expect.poll(() => watch.out.text).toContain('node-3');
  watch.out.isClosed = true;
  await createService(kit, 'x', { nodes: ['node-1'] });
  expect(await watch.exit).toBe(0);
  expect(await kit.run('watch nodes node-2 --interval 1s --for 3s')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^NAME.*\nnode-2 .*\n$/),
  });
});

test('get -w prints the objects, then a line for each change', async () => {
  const kit = await simulated({ isQuick: true });
  const watch = kit.start(['get', 'services', '-w', '--interval', '1s']);
  await expect.poll(() => watch.err.text).toContain('No services yet.');
  await createService(kit, 'x', { nodes: ['node-1'] });
  await expect.poll(() => watch.out.text).toMatch(/^NAME.*\nx /);
  watch.interrupt();
  expect(await watch.exit).toBe(130);
  for (const [line, error] of [
    ['get services -w --limit 2', '--limit cannot be used with -w'],
    ['get services --interval 2s', '--interval requires -w'],
    ['get images -w', 'images cannot be watched: watch services, containers, nodes'],
  ] as const) {
    expect(await kit.run(line)).toMatchObject({ code: 2, err: expect.stringContaining(error) });
  }
});

test('top prints one table in a pipe', async () => {
  const kit = await simulated();
  const { code, out } = await kit.run('top nodes');
  expect(code).toBe(0);
  expect(out.split('\n')).toHaveLength(5);
  expect(out).not.toContain('█');
  expect(out).not.toContain(control);
});
