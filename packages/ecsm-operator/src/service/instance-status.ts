/** The instances in the status of a service, for users: no decision depends on them. */
import { timestampAt } from '@ecsm/runtime';
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import type { InstanceState } from './instances.ts';
import type { PlanContext } from './plan-context.ts';

type InstanceStatus = NonNullable<ServiceStatus['instances']>[number];

/** Maximum number of instances in a status, which every reader of the object receives. */
const instancesMax = 100;
/** Maximum length of a message of the platform, in characters. */
const messageMax = 200;

const words: Readonly<Record<InstanceState, InstanceStatus['state']>> = {
  ready: 'Ready',
  starting: 'Starting',
  failed: 'Failed',
  stopped: 'Stopped',
  paused: 'Paused',
  unknown: 'Unknown',
};

/** Sorted by node and name, so that the order of the platform's answers changes nothing. */
export function instancesStatus({ owned }: PlanContext): InstanceStatus[] {
  const all = owned.flatMap(({ instances }) => instances);
  const ordered = all.sort(
    ({ instance: one }, { instance: other }) => order(one.nodeName, other.nodeName) || order(one.name, other.name),
  );
  return ordered.slice(0, instancesMax).map(({ instance, state }) => {
    const { name, nodeName, restarts, startedMs, message } = instance;
    return {
      name,
      nodeName,
      state: words[state],
      restarts,
      ...(startedMs === undefined ? {} : { startedTime: timestampAt(startedMs) }),
      ...(message === undefined || message === '' ? {} : { message: message.slice(0, messageMax) }),
    };
  });
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
