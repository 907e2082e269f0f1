/** `rollback`: a service as a record of its past says. */
import type { DeploymentRecord } from '@ecsm/client';
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { during, found } from './change.ts';
import { confirmOwned } from './guard.ts';
import { withPlatform } from './platform.ts';
import { imageOf } from './records.ts';
import { namedService } from './targets.ts';
import { untilDeployed } from './waiting.ts';

/** Of an id that is cut off. Fewer letters are too easily those of another one. */
const prefixMin = 4;

export async function run(call: Call): Promise<void> {
  const word = namedService(call.words);
  const to = call.flag('to');
  if (to === undefined) {
    throw new UsageError(`--to RECORD is required: "ecsm-cli get records --service ${word}" lists them`);
  }
  await withPlatform(call, async (platform) => {
    const [service] = await found(call, platform, [word]);
    if (!service) return;
    const { id, name } = service;
    const record = await during(call, platform, 'find the record', async ({ signal }) => {
      const all: DeploymentRecord[] = [];
      for await (const record of platform.ecsm.records().list(id, { signal })) all.push(record);
      return chosen(all, to, name);
    });
    await confirmOwned(call, [
      { service, instead: (owner) => `ecsmctl rollout undo ecsmservice ${owner.name} -n ${owner.namespace}` },
    ]);
    await during(call, platform, `roll service/${name} back`, ({ signal }) =>
      platform.ecsm.services().rollback(id, record.id, { signal }),
    );
    if (call.flag('wait') !== undefined) await untilDeployed(call, platform, { name, image: imageOf(record) });
    call.terminal.out.write(`service/${name} rolled back to record ${record.id}\n`);
  });
}

/** By its id, or by the beginning of it. */
function chosen(all: readonly DeploymentRecord[], to: string, name: string): DeploymentRecord {
  const exact = all.find(({ id }) => id === to);
  if (exact) return exact;
  const near = to.length < prefixMin ? [] : all.filter(({ id }) => id.startsWith(to));
  const [first, second] = near;
  if (second) throw new Failure(`several records of service "${name}" start with "${to}": use a longer prefix`);
  if (first) return first;
  throw new Failure(`service "${name}" has no record "${to}": "ecsm-cli get records --service ${name}" lists them`);
}
