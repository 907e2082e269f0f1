/** `delete`: services, and records of past deployments. It asks first. */

import { type Call, plural } from '@ecsm/command-line';
import { during, found } from './change.ts';
import { confirmDestruction, confirmOwned } from './guard.ts';
import { loadNoun } from './noun.ts';
import { type Platform, withPlatform } from './platform.ts';
import { namedTargets, type Target } from './targets.ts';
import { untilGone } from './waiting.ts';

export async function run(call: Call): Promise<void> {
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
  const services = await found(call, platform, names);
  const confirmed = await confirmOwned(
    call,
    services.map((service) => ({
      service,
      instead: ({ name, namespace }) => `ecsmctl delete ecsmservice ${name} -n ${namespace}`,
    })),
  );
  const shown = services.map(({ name }) => `"${name}"`).join(', ');
  // Whoever has said of all of them that they are meant need not say it twice.
  if (confirmed < services.length) {
    const what = services.length === 1 ? 'service' : plural(services.length, 'service');
    await confirmDestruction(call, `delete ${what} ${shown}`);
  }
  for (const { id, name } of services) {
    await during(call, platform, `delete service/${name}`, ({ signal }) =>
      platform.ecsm.services().delete(id, { signal }),
    );
    if (call.flag('wait') !== undefined) await untilGone(call, platform, { id, name });
    call.terminal.out.write(`service/${name} deleted\n`);
  }
}

async function deleteRecords(call: Call, platform: Platform, { names }: Target): Promise<void> {
  const noun = await loadNoun('record');
  const records = await during(call, platform, 'find the named objects', async (context) => {
    const all: string[] = [];
    for (const word of names) all.push((await noun.find(context, word)).name);
    return all;
  });
  await confirmDestruction(call, `delete ${plural(records.length, 'record')} (rollback to them becomes impossible)`);
  for (const id of records) {
    await during(call, platform, `delete record/${id}`, ({ signal }) => platform.ecsm.records().delete(id, { signal }));
    call.terminal.out.write(`record/${id} deleted\n`);
  }
}
