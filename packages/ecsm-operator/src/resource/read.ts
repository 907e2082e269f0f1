/** Converts the platform's responses about a service and its containers to the model that decisions use. */
import { bounded, type ContainerRow, numberOf, type ServiceDetail, textsOf } from '@ecsm/client';
import { redactText } from '@ecsm/runtime';
import { readMark } from './mark.ts';
import type { Instance, PlatformService } from './model.ts';
import { explainedText } from './platform-text.ts';

/** Parses a time of the platform, in milliseconds: `Ecsm.timeOf`. */
export type TimeOf = (text: string | null | undefined) => number | undefined;

/** Maximum length of a message of the platform, in characters. Conditions, which have a limit, contain a few of them. */
const messageMax = 1_000;

/** Rows of other services are ignored. */
export function readService(
  detail: ServiceDetail,
  containers: readonly ContainerRow[],
  timeOf: TimeOf,
): PlatformService {
  const instances = containers.filter((row) => row.serviceId === detail.id).map((row) => readInstance(row, timeOf));
  const nodeNames = nodeNamesOf(detail);
  const policy = detail.policy === 'dynamic' ? 'dynamic' : 'static';
  const mark = readMark(detail);
  return {
    id: detail.id,
    name: detail.name,
    ...(mark === undefined ? {} : { mark }),
    policy,
    // A static service has one instance on each node, with any factor.
    factor: policy === 'static' ? nodeNames.length : (numberOf(detail.factor) ?? instances.length),
    nodeNames,
    updatedTime: detail.updatedTime,
    isDeploying: detail.status === 'deploying',
    instances,
    detail,
  };
}

export function nodeNamesOf({ node, nodeList }: Pick<ServiceDetail, 'node' | 'nodeList'>): readonly string[] {
  return textsOf(node?.names ?? nodeList?.map(({ nodeName }) => nodeName ?? null));
}

function readInstance(row: ContainerRow, timeOf: TimeOf): Instance {
  const startedMs = timeOf(row.startedTime);
  return {
    taskId: row.taskId,
    name: row.name,
    nodeName: row.nodeName,
    status: row.status,
    deployment: row.deployStatus,
    ...(row.failedMessage ? { message: messageOf(row.failedMessage) } : {}),
    restarts: restartsOf(row),
    ...(startedMs === undefined ? {} : { startedMs }),
  };
}

/** The text is the platform's: it may be long, and contain a password of a registry. It is cut after that is removed. */
function messageOf(text: string): string {
  return bounded(explainedText(redactText(text.slice(0, messageMax * 4))), messageMax);
}

/** A count, whatever the platform reports: a status with any other number could not be written. */
export function restartsOf({ restartCnt }: Pick<ContainerRow, 'restartCnt'>): number {
  const count = Math.trunc(numberOf(restartCnt) ?? 0);
  return Number.isSafeInteger(count) ? Math.max(count, 0) : 0;
}
