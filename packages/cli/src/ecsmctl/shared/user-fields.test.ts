import { ECSMService } from '@ecsm/operator';
import { Event } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { registryKit, serviceInput } from './registry.kit.ts';
import { userFieldsOf } from './user-fields.ts';

const kit = registryKit();

it('userFieldsOf returns the content of an object, in a spec or in fields, without what the registry sets', async () => {
  const registry = await kit.open();
  const fields = { involvedObject: { kind: 'Pod', name: 'web' }, reason: 'Created' };
  const event = await registry.resource(Event).create(Event.input({ name: 'web.1', labels: { a: 'b' } }, fields));
  const metadata = { name: 'web.1', namespace: 'default', labels: { a: 'b' } };
  expect(userFieldsOf(event)).toEqual({ apiVersion: 'v1', kind: 'Event', metadata, ...fields });
  const service = await registry.resource(ECSMService).create(serviceInput('radar'));
  expect(userFieldsOf({ ...service, status: {} })).toEqual({
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: { name: 'radar', namespace: 'default' },
    spec: service.spec,
  });
});
