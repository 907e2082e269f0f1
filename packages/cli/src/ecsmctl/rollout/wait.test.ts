/** `wait`: what it can wait for, what it prints, and how it ends. */
import { ECSMService } from '@ecsm/operator';
import { describe, expect, it } from 'vitest';
import { condition, createManagedHistory, inputOf, kitPool, settle } from '../shared/history.kit.ts';
import { serviceInput } from '../shared/registry.kit.ts';
import { conditionText, parseWaitCondition, unmetText } from './wait-condition.ts';

const freshKit = kitPool(11);

async function stage(...names: readonly string[]) {
  const kit = freshKit();
  for (const [index, name] of names.entries()) {
    await createManagedHistory(kit, [{ image: `${name}@1.0.0#sylixos`, hash: `${index}1111111` }], name);
  }
  return { kit, registry: await kit.open() };
}

const available = (is: 'True' | 'False') => ({ conditions: [condition('Available', is, 'NotEnoughReady', 'x')] });

describe('--for', () => {
  it.each([
    ['condition=Available', 'condition Available'],
    ['condition=Available=false', 'condition Available=False'],
    ['Condition=ecsm.sh/Odd=UNKNOWN', 'condition ecsm.sh/Odd=Unknown'],
    ['delete', 'deletion'],
    ['create', 'creation'],
    ['jsonpath={.status.phase}=Running', '{.status.phase}=Running'],
    ["jsonpath='{.status.phase}'=Running", '{.status.phase}=Running'],
    ['jsonpath={.status.phase}="a b"', '{.status.phase}=a b'],
    ['jsonpath=.status.phase=Running', '.status.phase=Running'],
    ['jsonpath=status.phase', '{.status.phase}'],
    ['jsonpath={.a[?(@.type=="B")].c}=d=e', '{.a[?(@.type=="B")].c}=d=e'],
    ["jsonpath=.a[?(@.type=='B=')].c=d", ".a[?(@.type=='B=')].c=d"],
    ['jsonpath={.spec.名字}=遥测', '{.spec.名字}=遥测'],
  ])('%s', (text, expected) => {
    expect(conditionText(parseWaitCondition(text))).toBe(expected);
  });

  it('reports the existing conditions instead, without secrets', async () => {
    const { registry } = await stage('telemetry');
    const object = await registry.resource(ECSMService).get('telemetry');
    const unmet = (text: string) => unmetText(parseWaitCondition(text), object);
    expect(unmet('create')).toBeUndefined();
    expect(unmet('delete')).toBe('it exists');
    expect(unmet('condition=progressing')).toBeUndefined();
    expect(unmet('condition=Progressing=False')).toBe('it is True, Complete');
    expect(unmet('condition=Available')).toBe('it has no condition Available');
    expect(unmet('jsonpath={.status.replicas}')).toBeUndefined();
    expect(unmet('jsonpath={.status.replicas}=2')).toBeUndefined();
    expect(unmet('jsonpath={.status.replicas}=3')).toBe('it is 2');
    expect(unmet('jsonpath={.status.nothing}=3')).toBe('it has no value');
    expect(unmet('jsonpath={.spec.deploymentStrategy.nodePool[*]}=node-1')).toBe('it is node-1 node-2');
    expect(unmet('jsonpath={.spec.template.vsoa.password}=x')).toBe('it is <hidden>');
    expect(unmet('jsonpath={.spec.template.vsoa.password}=hunter2')).toBeUndefined();
  });

  it('ignores a condition of an older generation', async () => {
    const { registry } = await stage('telemetry');
    const object = await registry.resource(ECSMService).patch('telemetry', { spec: { paused: true } });
    expect(unmetText(parseWaitCondition('condition=Progressing'), object)).toBe(
      'its latest change has not been observed yet',
    );
  });
});

describe('wait', () => {
  it('prints one line for each object that meets the condition, and its progress on standard error', async () => {
    const { kit, registry } = await stage('camera', 'radar', 'telemetry');
    await settle(registry, 'radar', available('True'));
    await settle(registry, 'camera', available('False'));
    const { test, code } = kit.start('wait services --all --for=condition=Available --timeout 60s');
    await expect.poll(() => test.out.text).toBe('ecsmservice/radar condition met\n');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(600);
    await settle(registry, 'telemetry', available('True'));
    await expect
      .poll(() => test.out.text)
      .toBe('ecsmservice/radar condition met\necsmservice/telemetry condition met\n');
    await settle(registry, 'camera', available('True'));
    expect(await code).toBe(0);
    expect(test.out.text.endsWith('ecsmservice/camera condition met\n')).toBe(true);
    expect(
      test.err.text,
    ).toBe(`waiting for condition Available (0 s of 60 s): 1 of 3 objects, not ecsmservice/camera (it is False, NotEnoughReady), ecsmservice/telemetry (it has no condition Available)
waiting for condition Available (0 s of 60 s): 2 of 3 objects, not ecsmservice/camera (it is False, NotEnoughReady)
`);
    expect(test.clock.timers).toBe(0);
  });

  it('fails with 1 and the names of the objects that do not meet the condition', async () => {
    const { kit, registry } = await stage('camera', 'telemetry');
    await settle(registry, 'camera', available('True'));
    const { test, code } = kit.start('wait service camera telemetry --for condition=Available');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(30_000);
    expect(await code).toBe(1);
    expect(test.out.text).toBe('ecsmservice/camera condition met\n');
    expect(test.err.text).toContain(
      '\necsmctl: timed out waiting for condition Available after 30 s: 1 of 2 objects, not ecsmservice/telemetry (it has no condition Available)\n',
    );
  });

  it('checks once with --timeout 0', async () => {
    const { kit, registry } = await stage('telemetry');
    await settle(registry, 'telemetry', available('False'));
    expect(await kit.run('wait service/telemetry --for=condition=Available=False --timeout 0s')).toMatchObject({
      code: 0,
    });
    expect(await kit.run('wait service/telemetry --for=condition=Available --timeout 0')).toEqual({
      code: 1,
      out: '',
      err: 'ecsmctl: no condition Available: ecsmservice/telemetry (it is False, NotEnoughReady)\n',
    });
  });

  it('fails when an object is deleted instead of meeting the condition', async () => {
    const { kit, registry } = await stage('camera', 'telemetry');
    const { test, code } = kit.start('wait services --all --for=condition=Available --timeout 60s');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await registry.resource(ECSMService).delete('camera');
    await settle(registry, 'telemetry', available('True'));
    expect(await code).toBe(1);
    expect(test.out.text).toBe('ecsmservice/telemetry condition met\n');
    expect(test.err.text).toBe('ecsmctl: no condition Available: ecsmservice/camera (it was deleted)\n');
  });

  it('names the finalizer that a deletion waits for, and ends if another object has the same name', async () => {
    const { kit, registry } = await stage('telemetry');
    const services = registry.resource(ECSMService);
    await services.patch('telemetry', { metadata: { finalizers: ['ecsm.sh/platform-service'] } });
    await services.delete('telemetry');
    const { test, code } = kit.start('wait service/telemetry --for=delete --timeout 60s');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(600);
    expect(test.err.text).toBe(
      'waiting for deletion (0 s of 60 s): ecsmservice/telemetry (waiting for ecsm.sh/platform-service)\n',
    );
    await services.patch('telemetry', { metadata: { finalizers: [] } });
    await services.create(inputOf('telemetry@2.0.0#sylixos'));
    expect(await code).toBe(0);
    expect(test.out.text).toBe('ecsmservice/telemetry condition met\n');
  });

  it('succeeds immediately if the object is already deleted', async () => {
    const { kit } = await stage('telemetry');
    expect(await kit.run('wait service/nothing --for=delete')).toMatchObject({ code: 0 });
    expect(await kit.run('wait services -l app=nothing --for=delete')).toEqual({ code: 0, out: '', err: '' });
  });

  it('accepts the objects of a file', async () => {
    const { kit } = await stage('telemetry');
    await kit.run('export telemetry.yaml');
    const { code, out } = await kit.run('wait -f telemetry.yaml --for=condition=Progressing');
    expect({ code, out }).toEqual({ code: 0, out: 'ecsmservice/telemetry condition met\n' });
  });

  it('prints the namespace of objects in another one', async () => {
    const { kit, registry } = await stage('telemetry');
    await registry.resource(ECSMService).create(serviceInput('radar', { namespace: 'orbit' }));
    const { code, err } = await kit.run('wait services --all -A --for=jsonpath=.status.replicas --timeout 0');
    expect(code).toBe(1);
    expect(err).toBe('ecsmctl: no .status.replicas: ecsmservice/radar in orbit (it has no value)\n');
  });

  it('exits with 130 at Ctrl-C, and leaves nothing running', async () => {
    const { kit } = await stage('telemetry');
    const { test, code } = kit.start('wait service/telemetry --for=delete');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    test.interrupt();
    expect(await code).toBe(130);
    await expect.poll(() => test.clock.timers).toBe(0);
  });
});
