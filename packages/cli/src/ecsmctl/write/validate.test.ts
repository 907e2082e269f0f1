/** `validate` needs no registry, and touches none. What is wrong with files is in bad-files.test.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { expect, it, onTestFinished } from 'vitest';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit('sqlite', 'absent');
kit.write('fleet/a.yaml', `${serviceText('one')}---\n${serviceText('two')}`);
kit.write('fleet/below/b.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }));
kit.write('fleet/below/c.yml', serviceText('three', { metadata: '  namespace: orbit\n' }));

it('reports every valid object', async () => {
  expect(await kit.shown('validate -f fleet -R')).toBe(
    'ecsmservice/one is valid (fleet/a.yaml:1)\necsmservice/two is valid (fleet/a.yaml:11)\necsmservice/three is valid (fleet/below/c.yml:1)\n',
  );
});

it('opens no registry, not even with an invalid URL', async () => {
  const env = { ECSM_REGISTRY: 'etcd://127.0.0.1:1/nowhere' };
  expect((await kit.run('validate -f fleet', { env })).code).toBe(0);
  expect((await kit.run('validate -f fleet', { env: { ECSM_REGISTRY: 'nonsense' } })).code).toBe(0);
  expect(existsSync(join(kit.directory, 'registry'))).toBe(false);
});

it('prints all errors of many documents', async () => {
  kit.write(
    'many.yaml',
    Array.from({ length: 50 }, (_, index) => `kind: Nope${index}\napiVersion: v1\n`).join('---\n'),
  );
  const { out, err } = await kit.run('validate -f many.yaml');
  expect(out.trim().split('\n')).toHaveLength(50);
  expect(err).toBe('ecsmctl: validation failed: 50 errors\n');
});

it('asks the platform for images and nodes with --live', async () => {
  const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(3), nodes: 2 });
  onTestFinished(() => simulator.close());
  const { url } = await simulator.listen();
  const env = { ECSM_URL: url };
  kit.write('telemetry.yaml', serviceText('telemetry').replaceAll('node-3', 'node-1'));
  kit.write('wrong.yaml', serviceText('nothing').replace(/node-\d/, 'moon'));
  const inTime = { clock: systemClock };
  const { code, out } = await kit.run('validate --live -f wrong.yaml', { env, ...inTime });
  expect(code).toBe(1);
  expect(out).toMatch(/wrong\.yaml:\d+:\d+: spec\.template\.image: the platform has no image "nothing@/);
  expect(out).toMatch(/wrong\.yaml:\d+:\d+: spec\.deploymentStrategy\.\S+: the platform has no node "moon"/);
  const gone = await kit.run('validate --live -f wrong.yaml', { env: { ECSM_URL: 'http://127.0.0.1:1' }, ...inTime });
  expect(gone.err).toContain('check the platform, and its URL in --ecsm or ECSM_URL');
  const other = await kit.run('validate --live -f wrong.yaml', { env: { ECSM_URL: `${url}/other` }, ...inTime });
  expect(other.err).toContain(
    `${url}/other has no endpoint GET /node: check the platform, and its URL in --ecsm or ECSM_URL`,
  );
});
