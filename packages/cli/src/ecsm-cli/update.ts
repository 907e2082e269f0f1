/** `update service`, from a file. The platform replaces the whole service. */
import type { ServiceBody } from '@ecsm/client';
import { type Call, UsageError } from '@ecsm/command-line';
import { callPlatform, findServices } from './change.ts';
import { confirmOwned } from './confirm.ts';
import { withPlatform } from './platform.ts';
import { readServiceFile, rejectUnknown, withSecrets } from './service-file.ts';
import { waitUntilDeployed } from './waiting.ts';

export async function run(call: Call): Promise<void> {
  const file = await readServiceFile(call);
  const { body: wanted, id } = file;
  // Only the service itself shows whether a field is a mistake, or one of a newer platform.
  if (id === undefined) rejectUnknown(file);
  await withPlatform(call, async (platform) => {
    const [present] = await findServices(call, platform, [id ?? wanted.name]);
    if (!present) return;
    rejectUnknown(file, present);
    if (wanted.prepull !== undefined)
      throw new UsageError('prepull can be set only at creation: remove it for an update');
    const body = withSecrets(wanted, present);
    await confirmOwned(call, [{ service: present, instead: (object) => `ecsmctl edit ${object}` }]);
    const { name } = body;
    await callPlatform(call, platform, `update service/${name}`, ({ signal }) =>
      platform.ecsm.services().update({ ...body, id: present.id }, { signal }),
    );
    if (call.flag('wait') !== undefined)
      await waitUntilDeployed(call, platform, { name, expected: countOf(body), image: body.image.ref });
    call.terminal.out.write(`service/${name} updated\n`);
  });
}

/** Expected number of containers. Returns undefined for a dynamic service without a factor. */
export function countOf({ policy, factor, node }: ServiceBody): number | undefined {
  return policy === 'dynamic' ? factor : node.names.length;
}
