/** Goal: nothing is green while something is wrong. Method: a simulated platform with faults, and a coloured terminal. */
import { describe, expect, test } from 'vitest';
import { createService, type Kit, simulated } from './platform.kit.ts';

/** Each coloured cell as `text=colour`. */
async function coloured(kit: Kit, line: string) {
  const { code, out } = await kit.run(line, { terminal: { columns: 160, rows: 24 }, coloured: true });
  const cells = out.replaceAll('\u001b', '').matchAll(/\[(31|32|33)m(.*?)\s*\[39m/g);
  const texts = [...cells].map(
    ([, code, text]) => `${text}=${code === '31' ? 'red' : code === '32' ? 'green' : 'yellow'}`,
  );
  return { code, texts };
}

describe('get services', () => {
  test('is green only if all instances are online', async () => {
    const kit = await simulated();
    await createService(kit, 'camera', { nodes: ['node-1', 'node-2'] });
    expect((await coloured(kit, 'get services')).texts).toEqual(['deploying=yellow', '0/2=yellow']);
    await kit.clock.advance(60_000);
    expect((await coloured(kit, 'get services')).texts).toEqual(['complete=green', '2/2=green', 'running=green']);
    const [first, second] = kit.simulator.platform.containersOfService(
      kit.simulator.platform.serviceNamed('camera')?.id ?? '',
    );
    expect([first, second]).not.toContain(undefined);
    await kit.run(`stop container ${first?.name} --yes`);
    expect((await coloured(kit, 'get services')).texts).toEqual([
      'complete=yellow',
      '1/2=yellow',
      'exited,running=yellow',
    ]);
    await kit.run(`stop container ${second?.name} --yes`);
    expect((await coloured(kit, 'get services')).texts).toEqual(['complete=red', '0/2=red', 'exited=yellow']);
  });
});

describe('get containers', () => {
  test('is not green for one that is restarted again and again', async () => {
    const kit = await simulated();
    await createService(kit, 'camera', { nodes: ['node-1'] });
    await kit.clock.advance(60_000);
    const { platform } = kit.simulator;
    const [container] = platform.containersOfService(platform.serviceNamed('camera')?.id ?? '');
    const restart = async () => {
      platform.killContainer(container?.taskId ?? '');
      await kit.clock.advance(60_000);
    };
    for (let count = 0; count < 2; count++) await restart();
    expect((await coloured(kit, 'get containers')).texts).toEqual(['running=green', 'success=green']);
    await restart();
    expect((await coloured(kit, 'get containers')).texts).toEqual(['running=yellow', 'success=green', '3=red']);
  });
});

describe('node check', () => {
  test('names memory and disk that are nearly full, and fails', async () => {
    const kit = await simulated({ nodes: 2 });
    const { platform } = kit.simulator;
    const node = platform.nodeNamed('node-2') ?? expect.fail();
    platform.fillNode(node.id, { memoryBytes: node.memoryTotalBytes * 0.9 });
    expect(await kit.run('node check')).toMatchObject({ code: 0 });
    platform.fillNode(node.id, { memoryBytes: node.memoryTotalBytes * 0.99 });
    const { code, out } = await kit.run('node check');
    expect(code).toBe(1);
    expect(out).toMatch(/node-1 .* ok\n/);
    expect(out).toMatch(/node-2 .* memory 99% used\n/);
    expect((await kit.run('node check node-1')).code).toBe(0);
  });
});
