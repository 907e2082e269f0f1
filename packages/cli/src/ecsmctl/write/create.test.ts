/** `create`: what is there stays as it is. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ECSMService } from '@ecsm/operator';
import { expect, it } from 'vitest';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit('sqlite', 'absent');
kit.write('one.yaml', serviceText('one'));
kit.write(
  'three.yaml',
  ['two', 'one', 'three'].map((name) => serviceText(name, { spec: '  paused: true\n' })).join('---\n'),
);

it('creates nothing on a dry run', async () => {
  expect(await kit.shown('create -f one.yaml --dry-run')).toBe('ecsmservice/one created (dry run)\n');
  expect(existsSync(join(kit.directory, 'registry'))).toBe(false);
});

it('creates objects, and prints them', async () => {
  expect(await kit.shown("create -f one.yaml -o jsonpath='{.metadata.name} {.metadata.namespace}'")).toBe(
    `one default! created the registry ${kit.url}\n`,
  );
  const made = await kit.inside((registry) => registry.resource(ECSMService).get('one'));
  expect(made.metadata.managedFields).toMatchObject([{ manager: 'ecsmctl-create', operation: 'Update' }]);
});

it('does not change existing objects, creates the others, and fails', async () => {
  expect(await kit.shown('create -f three.yaml')).toBe(
    'ecsmservice/two created\necsmservice/three created\n! ecsmctl: ECSMService "one" already exists\n! ecsmctl: 1 of 3 objects could not be created\n= 1\n',
  );
  const one = await kit.inside((registry) => registry.resource(ECSMService).get('one'));
  expect(one.spec.paused).toBe(false);
});
