/** The filters of the platform's API, as flags. Which of them goes with which kind is in `names.ts`. */
import type { Call, Flag } from '@ecsm/command-line';
import { namespaceFlag } from './flags.ts';
import type { Kind } from './names.ts';

/** Names of what is there, for completion. */
export function complete(kind: Kind): (call: Call) => Promise<readonly string[]> {
  return async (call) => (await import('./live-names.ts')).liveNames(call, kind);
}

export const nameFilter: Flag = {
  name: 'name',
  value: 'TEXT',
  help: 'of nodes, services, images: names that look like it',
};

export const nodeFilter: Flag = {
  name: 'node',
  value: 'NODE',
  help: 'of services, containers: those on this node',
  complete: complete('node'),
};

export const serviceFilter: Flag = {
  name: 'service',
  value: 'SERVICE',
  help: 'of containers, records: those of this service',
  complete: complete('service'),
};

export const imageFilters: readonly Flag[] = [
  {
    name: 'os',
    value: 'NAME',
    help: 'of images: for this system, sylixos or linux',
    complete: async () => ['sylixos', 'linux'],
  },
  { name: 'author', value: 'NAME', help: 'of images: by this author' },
  { name: 'registry', value: 'ID', help: 'of images: in this registry. Default local' },
];

/** All of `get`. */
export const filterFlags: readonly Flag[] = [
  namespaceFlag,
  nameFilter,
  nodeFilter,
  serviceFilter,
  {
    name: 'image',
    value: 'IMAGE',
    help: 'of services: those made from this image, name@tag#os or id',
    complete: complete('image'),
  },
  { name: 'label', value: 'PATH', help: 'of services: those whose path label looks like it' },
  { name: 'key', value: 'TEXT', help: 'of containers: those in which the platform finds this word' },
  { name: 'basic', help: 'of nodes: without a look at the nodes themselves, which is quicker' },
  ...imageFilters,
];
