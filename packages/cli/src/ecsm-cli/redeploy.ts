/** `redeploy`: deploys all containers of a service again. */
import type { Call } from '@ecsm/command-line';
import { callPlatform, findServices, untilInterrupted } from './change.ts';
import { confirmOwned } from './confirm.ts';
import { withPlatform } from './platform.ts';
import { contextOf } from './resource.ts';
import { namedTargets } from './targets.ts';
import { deploymentsOf, waitUntilDeployed } from './waiting.ts';

export async function run(outside: Call): Promise<void> {
  const call = untilInterrupted(outside);
  const names = namedTargets(call.words, ['service']).flatMap((target) => target.names);
  await withPlatform(call, async (platform) => {
    const services = await findServices(call, platform, names);
    await confirmOwned(
      call,
      services.map((service) => ({
        service,
        instead: (object) => `ecsmctl rollout restart ${object}`,
      })),
    );
    for (const { id, name } of services) {
      const wait = call.flag('wait') !== undefined;
      const before = wait ? await deploymentsOf(contextOf(call, platform), id) : undefined;
      await callPlatform(call, platform, `redeploy service/${name}`, ({ signal }) =>
        platform.ecsm.services().redeploy(id, { signal }),
      );
      if (before) await waitUntilDeployed(call, platform, { name, before });
      call.terminal.out.write(`service/${name} redeployed\n`);
    }
  });
}
