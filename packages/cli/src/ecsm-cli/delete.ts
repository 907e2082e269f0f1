/** `delete`: services, deployment records and nodes, after confirmation. */

import { type Call, plural } from '@ecsm/command-line';
import { callPlatform, findEach, findServices, untilInterrupted } from './change.ts';
import { confirmIrreversible, confirmOwned } from './confirm.ts';
import { type Platform, withPlatform } from './platform.ts';
import { loadResource } from './resource.ts';
import { namedTargets, type Target } from './targets.ts';
import { waitUntilDeleted } from './waiting.ts';

export async function run(outside: Call): Promise<void> {
  const call = untilInterrupted(outside);
  const targets = namedTargets(call.words, ['service', 'record', 'node']);
  await withPlatform(call, async (platform) => {
    for (const target of targets) {
      if (target.kind === 'service') await deleteServices(call, platform, target);
      else if (target.kind === 'record') await deleteRecords(call, platform, target);
      else await (await import('./node-remove.ts')).removeNodes(call, platform, target.names);
    }
  });
}

async function deleteServices(call: Call, platform: Platform, { names }: Target): Promise<void> {
  const services = await findServices(call, platform, names);
  const confirmed = await confirmOwned(
    call,
    services.map((service) => ({
      service,
      instead: (object) => `ecsmctl delete ${object}`,
    })),
  );
  const shown = services.map(({ name }) => `"${name}"`).join(', ');
  // If all services were confirmed as owned ones, a second confirmation is not needed.
  if (confirmed < services.length) {
    const what = services.length === 1 ? 'service' : plural(services.length, 'service');
    await confirmIrreversible(call, `delete ${what} ${shown}`);
  }
  for (const { id, name } of services) {
    await callPlatform(call, platform, `delete service/${name}`, ({ signal }) =>
      platform.ecsm.services().delete(id, { signal }),
    );
    if (call.flag('wait') !== undefined) await waitUntilDeleted(call, platform, { id, name });
    call.terminal.out.write(`service/${name} deleted\n`);
  }
}

async function deleteRecords(call: Call, platform: Platform, { names }: Target): Promise<void> {
  const resource = await loadResource('record');
  const records = await findEach(call, platform, names, resource.find);
  await confirmIrreversible(call, `delete ${plural(records.length, 'record')} (rollback to them becomes impossible)`);
  for (const { name: id } of records) {
    await callPlatform(call, platform, `delete record/${id}`, ({ signal }) =>
      platform.ecsm.records().delete(id, { signal }),
    );
    call.terminal.out.write(`record/${id} deleted\n`);
  }
}
