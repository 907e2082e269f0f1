import { ECSMService } from '@ecsm/operator';
import { Event } from '@ecsm/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { goldenTests } from '../shared/golden.kit.ts';
import { fillRegistry, registryKit, serviceInput } from '../shared/registry.kit.ts';

const kit = registryKit();
beforeAll(() => fillRegistry(kit));

goldenTests(kit, new URL('events.golden.txt', import.meta.url));

describe('events of other programs, which may lack timestamps, count and type', () => {
  const other = registryKit();

  beforeAll(async () => {
    const registry = await other.open();
    const { apiVersion, kind, metadata } = await registry.resource(ECSMService).create(serviceInput('radar'));
    const involvedObject = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    const write = (name: string, fields: object) =>
      registry.resource(Event).create(Event.input({ name }, { involvedObject, message: name, ...fields }));
    await write('c', { lastTimestamp: '2026-01-02T03:03:05Z', count: 2, type: 'Normal', reason: 'Older' });
    await write('b', {
      series: { count: 7, lastObservedTime: '2026-01-02T03:03:00.250000Z' },
      eventTime: '2026-01-02T03:00:00.000000Z',
      type: 'Warning',
      reason: 'Series',
    });
    await write('a', { eventTime: '2026-01-02T03:03:05.500000Z', reason: 'Newer' });
    await registry.close();
  });

  it('are listed in the order of their last occurrence', async () => {
    expect((await other.run('events --for service/radar')).out).toBe(`\
LAST SEEN   TYPE      REASON   OBJECT              COUNT   MESSAGE
64s         Warning   Series   ecsmservice/radar   7       b
60s         Normal    Older    ecsmservice/radar   2       c
59s         <none>    Newer    ecsmservice/radar   1       a
`);
    expect((await other.run('events --types normal -o name')).out).toBe('event/c\n');
  });

  it('are part of the description of their object', async () => {
    expect((await other.run('describe service radar')).out).toContain(`\
Events:
  LAST SEEN   TYPE      REASON   COUNT   MESSAGE
  64s         Warning   Series   7       b
  60s         Normal    Older    2       c
  59s         <none>    Newer    1       a
`);
  });
});
