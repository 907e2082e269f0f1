/** `scale`: sets the number of instances of a dynamic service. */
import { type Call, Failure, UsageError, wholeNumberOf } from '@ecsm/command-line';
import { bodyOf, callPlatform, findServices } from './change.ts';
import { confirmOwned } from './confirm.ts';
import { withPlatform } from './platform.ts';
import { namedService } from './targets.ts';
import { waitUntilDeployed } from './waiting.ts';

const replicasMax = 100_000;

export async function run(call: Call): Promise<void> {
  const word = namedService(call.words);
  const text = call.flag('replicas');
  if (text === undefined) throw new UsageError('--replicas COUNT is required');
  const factor = wholeNumberOf(text, '--replicas', 0, replicasMax);
  await withPlatform(call, async (platform) => {
    const [service] = await findServices(call, platform, [word]);
    if (!service) return;
    const { name } = service;
    if (service.policy !== 'dynamic') {
      const remedy = 'change "node" or "policy" with ecsm-cli update';
      throw new Failure(
        `service "${name}" is ${service.policy}: it has one instance on each of its nodes. To have more, ${remedy}`,
      );
    }
    await confirmOwned(call, [{ service, instead: (object) => `ecsmctl scale ${object} --replicas ${factor}` }]);
    await callPlatform(call, platform, `scale service/${name}`, ({ signal }) =>
      platform.ecsm.services().update({ ...bodyOf(service), factor }, { signal }),
    );
    if (call.flag('wait') !== undefined) await waitUntilDeployed(call, platform, { name, expected: factor });
    call.terminal.out.write(`service/${name} scaled\n`);
  });
}
