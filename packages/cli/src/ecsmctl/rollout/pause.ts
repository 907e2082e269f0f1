/** `ecsmctl rollout pause` and `resume`: set `spec.paused`. */

import type { Call, Run } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { managerOf } from '../shared/managers.ts';
import { changeServices, rejectDeleted, titleOf } from './targets.ts';

export async function setPaused(call: Call, paused: boolean): Promise<void> {
  const { out } = call.terminal;
  await changeServices(call, async ({ registry }, service) => {
    const title = titleOf(service);
    rejectDeleted(service);
    if (service.spec.paused === paused) {
      out.write(`${title} unchanged: it is ${paused ? 'already paused' : 'not paused'}\n`);
      return;
    }
    const { name, namespace, uid } = service.metadata;
    const options = { namespace, uid, manager: managerOf('rollout') };
    await registry.resource(ECSMService).patch(name, { spec: { paused } }, options);
    out.write(`${title} ${paused ? 'paused' : 'resumed'}\n`);
  });
}

export const run: Run = (call) => setPaused(call, true);
