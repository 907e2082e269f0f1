import { ECSMService } from '@ecsm/operator';
import { type EmbeddedRegistry, Event, type Kind } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registryKit, serviceInput, startedOperator } from '../shared/registry.kit.ts';

const kit = registryKit();
let registry: EmbeddedRegistry;

beforeEach(async () => {
  registry = await kit.open(60_000);
  await startedOperator(registry);
  await registry.resource(ECSMService).create(serviceInput('telemetry'));
  await registry.resource(ECSMService).create(serviceInput('radar', { namespace: 'orbit' }));
});

afterEach(async () => {
  const kinds: readonly Kind[] = [ECSMService, Event];
  for (const resource of kinds.map((kind) => registry.resource(kind))) {
    for (const { metadata } of (await resource.list()).items) {
      await resource.delete(metadata.name, { namespace: metadata.namespace });
    }
  }
  await registry.close();
});

const event = (name: string, reason: string) =>
  Event.input(
    { name },
    {
      involvedObject: { apiVersion: 'ecsm.sh/v1', kind: 'ECSMService', name: 'telemetry', uid: 'u' },
      type: 'Normal',
      reason,
      message: '完成',
      count: 1,
      lastTimestamp: '2026-01-02T03:04:00Z',
    },
  );

/** Starts it, waits until `first` is printed, does something, waits until `last` is printed, presses Ctrl-C. */
async function watched(line: string, first: string, deed: () => Promise<unknown>, last: RegExp) {
  const { test, code } = kit.start(line);
  const until = async (pattern: RegExp) => {
    // The doorbell of the registry is a file; a busy machine may be slow to hear it.
    for (let turn = 0; turn < 2_000 && !pattern.test(test.out.text); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await test.clock.advance(5);
    }
  };
  if (first === '') await new Promise((resolve) => setTimeout(resolve, 300));
  else await until(new RegExp(first));
  await deed();
  await until(last);
  test.interrupt();
  return { code: await code, out: test.out.text.replace(/\d+s$/gm, 'AGE'), err: test.err.text };
}

describe('get -w', () => {
  it('prints the table, then a row for each change, until Ctrl-C', async () => {
    const services = registry.resource(ECSMService);
    const deed = async () => {
      await services.updateStatus({ metadata: { name: 'telemetry' }, status: { readyReplicas: 2 } });
      await services.create(serviceInput('a-service-with-a-longer-name'));
      await services.delete('telemetry');
    };
    expect(await watched('get services -w', 'telemetry', deed, /deleted/)).toEqual({
      code: 130,
      out: `NAME        READY   STATUS    RESTARTS   UP-TO-DATE   STRATEGY   IMAGE                     AGE
telemetry   0/2     Pending   <none>     <none>       Dynamic    telemetry@1.0.0#sylixos   AGE
telemetry   2/2     Pending   0          0            Dynamic    telemetry@1.0.0#sylixos   AGE
a-service-with-a-longer-name   0/2     Pending   <none>     <none>       Dynamic    a-service-with-a-longer-name@1.0.0#sylixos   AGE
telemetry                      2/2     Pending   0          0            Dynamic    telemetry@1.0.0#sylixos                      deleted
`,
      err: '',
    });
  });

  it('prints only changes with --watch-only, and only of the named objects', async () => {
    const services = registry.resource(ECSMService);
    const deed = async () => {
      await services.create(serviceInput('other'));
      await services.patch('telemetry', { spec: { paused: true } });
    };
    expect(await watched('get service telemetry --watch-only -o name', '', deed, /telemetry/)).toEqual({
      code: 130,
      out: 'ecsmservice/telemetry\n',
      err: '',
    });
  });

  it('prints one document after the other', async () => {
    const services = registry.resource(ECSMService);
    const deed = () => services.patch('telemetry', { spec: { paused: true } });
    const { out } = await watched('get services -w -o yaml', 'paused: false', deed, /paused: true/);
    expect(out.match(/^---$/gm)).toHaveLength(1);
    const paths = await watched("get services -A -w -o jsonpath='{.metadata.name}'", 'telemetry', async () => {}, /./);
    expect(paths.out).toBe('telemetry\nradar\n');
  });

  it('fails for a name that does not exist', async () => {
    expect(await kit.run('get service telemetri -w')).toEqual({
      code: 1,
      out: '',
      err: 'ecsmctl: there is no ecsmservice "telemetri" in the namespace "default". Did you mean "telemetry"?\n',
    });
  });

  it('ends without an error when the reader closes the output', async () => {
    const { test, code } = kit.start('get services -w');
    while (!test.out.text.includes('telemetry')) await new Promise((resolve) => setTimeout(resolve, 5));
    test.out.isClosed = true;
    await registry.resource(ECSMService).patch('telemetry', { spec: { paused: true } });
    const ticking = setInterval(() => void test.clock.advance(100), 20);
    expect(await code).toBe(0);
    clearInterval(ticking);
    expect(test.err.text).toBe('');
  });
});

describe('events -w', () => {
  it('prints past events, then new ones', async () => {
    const events = registry.resource(Event);
    await events.create(event('one', 'Created'));
    const deed = () => events.create(event('two', 'Complete'));
    expect(await watched('events -w --for service/telemetry', 'Created', deed, /Complete/)).toMatchObject({
      code: 130,
      out: expect.stringMatching(
        /^LAST SEEN {3}TYPE .*\n5s +Normal +Created +ecsmservice\/telemetry +1 +完成\n\d+s +Normal +Complete .*\n$/,
      ),
    });
  });
});
