/** Completion with the objects on the platform. */
import { expect, test } from 'vitest';
import { createService, simulated } from './platform.kit.ts';

async function candidates(...words: readonly string[]) {
  const kit = await simulated();
  await createService(kit, 'telemetry', { factor: 2 });
  await createService(kit, '遥测', { nodes: ['node-1'] });
  const { code, out } = await kit.run(['__complete', '--', ...words]);
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
}

test('completes kinds, names, and values of flags', async () => {
  expect(await candidates('get', '')).toEqual(['nodes', 'services', 'containers', 'images', 'records']);
  expect(await candidates('get', 'services', '')).toEqual(['telemetry', '遥测']);
  expect(await candidates('get', 'nodes', 'node-1', '')).toEqual(['node-2', 'node-3']);
  expect(await candidates('describe', 'image', 'gate')).toEqual(['gateway@1.0.0#linux', 'gateway@1.1.0#linux']);
  expect(await candidates('get', 'containers', '--node', '')).toEqual(['node-1', 'node-2', 'node-3']);
  expect(await candidates('get', 'containers', '--service=t')).toEqual(['--service=telemetry']);
  expect(await candidates('stop', '')).toEqual(['service', 'container', 'telemetry', '遥测']);
  expect(await candidates('stop', 'container', 'tele')).toHaveLength(2);
  expect(await candidates('scale', 'service', 't')).toEqual(['telemetry']);
  expect(await candidates('node', 'remove', '')).toEqual(['node-1', 'node-2', 'node-3']);
  expect((await candidates('rollback', 'telemetry', '--to', ''))[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(await candidates('image', 'upload', '')).toEqual([':files']);
  expect(await candidates('raw', 'P')).toEqual(['POST', 'PUT']);
  expect(await candidates('get', 'nodes', '-o', 'j')).toEqual(['json', 'jsonpath=']);
});

test('prints no candidates and no error without a platform', async () => {
  const kit = await simulated({ isQuick: true });
  await kit.simulator.close();
  expect(
    await kit.run(['__complete', '--', 'get', 'services', ''], { env: { ECSMCLI_URL: 'http://127.0.0.1:1' } }),
  ).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});
