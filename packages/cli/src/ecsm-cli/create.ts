/** `create service`, from a file. */

import { type Call, Failure } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { callPlatform } from './change.ts';
import { confirmOwned } from './confirm.ts';
import { withPlatform } from './platform.ts';
import { readServiceFile, rejectUnknown, withSecrets } from './service-file.ts';
import { countOf } from './update.ts';
import { waitUntilDeployed } from './waiting.ts';

export async function run(call: Call): Promise<void> {
  const file = await readServiceFile(call);
  rejectUnknown(file);
  const body = withSecrets(file.body, undefined);
  const { name } = body;
  // A copy of a service of the operator has its owner mark, so the operator would treat it as its own.
  await confirmOwned(call, [
    { service: body, instead: () => 'remove ECSM_OWNER and ECSM_REVISION from its environment' },
  ]);
  await withPlatform(call, async (platform) => {
    try {
      await callPlatform(call, platform, `create service/${name}`, ({ signal }) =>
        platform.ecsm.services().create(body, { signal }),
      );
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      throw new Failure(
        `service "${name}" exists already: "ecsm-cli update service -f ${call.flag('filename')}" changes it`,
      );
    }
    if (call.flag('wait') !== undefined) await waitUntilDeployed(call, platform, { name, expected: countOf(body) });
    call.terminal.out.write(`service/${name} created\n`);
  });
}
