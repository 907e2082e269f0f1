/** `ecsmctl rollout pause` and `resume`: set `spec.paused`. */

import type { Call, Run } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { managerOf } from '../shared/managers.ts';
import { withSession } from '../shared/session.ts';
import { rejectDeleted, servicesOf, titleOf } from './targets.ts';

export async function setPaused(call: Call, paused: boolean): Promise<void> {
  const { out } = call.terminal;
  await withSession(call, async (session) => {
    for (const service of await servicesOf(call, session)) {
      const title = titleOf(service);
      rejectDeleted(service);
      if (service.spec.paused === paused) {
        out.write(`${title} unchanged: it is ${paused ? 'already paused' : 'not paused'}\n`);
        continue;
      }
      const { name, namespace, uid } = service.metadata;
      await session.registry
        .resource(ECSMService)
        .patch(name, { spec: { paused } }, { namespace, uid, manager: managerOf('rollout') });
      out.write(`${title} ${paused ? 'paused' : 'resumed'}\n`);
    }
  });
}

export const run: Run = (call) => setPaused(call, true);
