/** Forms that answers of several nouns have in common, from sections 1, 2.8, 4 and 5 of the reference. */
import type { Behaviour } from '../../src/platform/behaviour.ts';
import { either, exactly, type Form, list, listOrNone, object, orNull, words } from './form.kit.ts';

/** "None", "null" or "no data of interest". */
export const nothing = either('null', exactly('success'));

/** Section 1.4: the request's numbers come back. */
export function page(row: Form, pageSize = 100): Form {
  return object({ list: list(row), total: 'count', pageNum: exactly(1), pageSize: exactly(pageSize) });
}

export const emptyPage = object({
  list: exactly([]),
  total: exactly(0),
  pageNum: exactly(1),
  pageSize: exactly(100),
});

/** What every list sends. */
export const firstPage = { pageNum: '1', pageSize: '100' };

/** Section 1.5: which times are written how is not known for all, and a switch of the platform. */
export function serviceTime({ times }: Behaviour): Form {
  return times === 'iso' ? 'isoTime' : 'plainTime';
}

export function containerTime({ times }: Behaviour): Form {
  return times === 'plain' ? 'plainTime' : 'isoTime';
}

export function imageTime({ times }: Behaviour): Form {
  return times === 'plain' ? 'plainTime' : times === 'iso' ? 'isoTime' : 'nanosecondTime';
}

/** Where the reference names a time and shows none. */
export const someTime = either('plainTime', 'isoTime');

/** Section 5. */
export const transaction = object({
  id: 'uuid',
  status: words('running', 'failure', 'success'),
  data: 'anything',
  timestamp: 'count',
});

export const nodeOfService = object({ nodeId: 'uuid', nodeName: 'text', address: 'address' });

/** Section 4.1. */
export function containerFields(behaviour: Behaviour): Readonly<Record<string, Form>> {
  return {
    id: 'id',
    taskId: 'uuid',
    name: 'id',
    status: orNull(words('created', 'running', 'exited', 'paused')),
    uptime: 'count',
    startedTime: orNull(containerTime(behaviour)),
    createdTime: containerTime(behaviour),
    taskCreatedTime: containerTime(behaviour),
    deployStatus: words('deploying', 'success', 'failure'),
    failedMessage: orNull('text'),
    restartCnt: 'count',
    deployNum: 'count',
    cpuUsage: object({ total: 'percent', cores: listOrNone('percent') }),
    memoryLimit: 'count',
    memoryUsage: 'count',
    memoryMaxUsage: 'count',
    sizeUsage: 'amount',
    sizeLimit: 'amount',
    serviceId: 'uuid',
    serviceName: 'text',
    nodeId: 'uuid',
    nodeName: 'text',
    nodeArch: 'text',
    address: 'address',
    imageId: orNull('uuid'),
    imageName: 'text',
    imageVersion: 'text',
    imageOS: words('linux', 'sylixos'),
    imageArch: orNull('text'),
  };
}

/** Section 2.8; the vendor spells the template's id in two ways. */
export function deployResult({ templateIdField }: Behaviour): Form {
  return object({
    [templateIdField]: 'hexId',
    result: words('failed', 'created', 'updated'),
    provisionId: orNull('uuid'),
    tasks: listOrNone(object({ id: 'uuid' })),
    error: orNull('text'),
  });
}
