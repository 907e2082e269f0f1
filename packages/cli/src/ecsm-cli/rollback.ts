/** `rollback`: returns a service to a deployment record. */
import { collect, type DeploymentRecord } from '@ecsm/client';
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { callPlatform, findServices } from './change.ts';
import { confirmOwned } from './confirm.ts';
import { withPlatform } from './platform.ts';
import { imageOf } from './records.ts';
import { namedService } from './targets.ts';
import { waitUntilDeployed } from './waiting.ts';

/** Characters of an id prefix at least. A shorter one could match another record by mistake. */
const prefixMin = 4;

export async function run(call: Call): Promise<void> {
  const word = namedService(call.words);
  const to = call.flag('to');
  if (to === undefined) {
    throw new UsageError(`--to RECORD is required: "ecsm-cli get records --service ${word}" lists them`);
  }
  await withPlatform(call, async (platform) => {
    const [service] = await findServices(call, platform, [word]);
    if (!service) return;
    const { id, name } = service;
    const record = await callPlatform(call, platform, 'find the record', async ({ signal }) =>
      recordById(await collect(platform.ecsm.records().list(id, { signal })), to, name),
    );
    await confirmOwned(call, [{ service, instead: (object) => `ecsmctl rollout undo ${object}` }]);
    await callPlatform(call, platform, `roll service/${name} back`, ({ signal }) =>
      platform.ecsm.services().rollback(id, record.id, { signal }),
    );
    if (call.flag('wait') !== undefined) await waitUntilDeployed(call, platform, { name, image: imageOf(record) });
    call.terminal.out.write(`service/${name} rolled back to record ${record.id}\n`);
  });
}

/** By id or by a unique prefix of it. Throws `Failure`. */
function recordById(all: readonly DeploymentRecord[], to: string, name: string): DeploymentRecord {
  const exact = all.find(({ id }) => id === to);
  if (exact) return exact;
  const near = to.length < prefixMin ? [] : all.filter(({ id }) => id.startsWith(to));
  const [first, second] = near;
  if (second) throw new Failure(`several records of service "${name}" start with "${to}": use a longer prefix`);
  if (first) return first;
  throw new Failure(`service "${name}" has no record "${to}": "ecsm-cli get records --service ${name}" lists them`);
}
