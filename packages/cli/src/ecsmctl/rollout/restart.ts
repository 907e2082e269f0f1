/** `ecsmctl rollout restart`: creates a new revision of the same template, so that all instances are recreated. */
import type { Run } from '@ecsm/command-line';
import { ECSMService, restartedAtAnnotation } from '@ecsm/operator/kinds';
import { timestampAt } from '@ecsm/runtime';
import { managerOf } from '../shared/managers.ts';
import { changeServices, rejectDeleted, resumeLine, titleOf } from './targets.ts';

export const run: Run = async (call) => {
  const { out, err, clock } = call.terminal;
  await changeServices(call, async ({ registry }, service) => {
    const title = titleOf(service);
    rejectDeleted(service);
    const { name, namespace, uid, annotations } = service.metadata;
    const restartedAt = timestampAt(clock.now());
    if (annotations?.[restartedAtAnnotation] === restartedAt) {
      out.write(`${title} unchanged: it was already restarted in this second\n`);
      return;
    }
    const patch = { metadata: { annotations: { [restartedAtAnnotation]: restartedAt } } };
    await registry.resource(ECSMService).patch(name, patch, { namespace, uid, manager: managerOf('rollout') });
    out.write(`${title} restarted\n`);
    if (service.spec.paused) err.write(`the rollout is paused; resume it with "${resumeLine(service)}"\n`);
  });
};
