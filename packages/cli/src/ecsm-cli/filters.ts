/** The filters of the platform's API, as flags. `kinds.ts` lists the filters of each kind. */
import type { Call, Flag } from '@ecsm/command-line';
import { namespaceFlag } from './flags.ts';
import type { Kind } from './kinds.ts';

/** Completion with the names of existing objects. */
export function complete(kind: Kind): (call: Call) => Promise<readonly string[]> {
  return async (call) => (await import('./live-names.ts')).liveNames(call, kind);
}

export const nameFilter: Flag = {
  name: 'name',
  value: 'TEXT',
  help: 'only names that contain TEXT; for nodes, services and images',
};

export const nodeFilter: Flag = {
  name: 'node',
  value: 'NODE',
  help: 'only those on this node; for services and containers',
  complete: complete('node'),
};

export const serviceFilter: Flag = {
  name: 'service',
  value: 'SERVICE',
  help: 'only those of this service; for containers and records',
  complete: complete('service'),
};

export const imageFilters: readonly Flag[] = [
  {
    name: 'os',
    value: 'NAME',
    help: 'only images for this operating system, sylixos or linux',
    complete: async () => ['sylixos', 'linux'],
  },
  { name: 'author', value: 'NAME', help: 'only images by this author' },
  { name: 'registry', value: 'ID', help: 'only images in this registry. Default local' },
];

/** All filters of `get`. */
export const filterFlags: readonly Flag[] = [
  namespaceFlag,
  nameFilter,
  nodeFilter,
  serviceFilter,
  {
    name: 'image',
    value: 'IMAGE',
    help: 'only services that use this image, name@tag#os or id',
    complete: complete('image'),
  },
  { name: 'label', value: 'PATH', help: 'only services whose path label contains PATH' },
  { name: 'key', value: 'TEXT', help: 'only containers that match this search text of the platform' },
  { name: 'basic', help: 'list nodes without querying the nodes themselves, which is faster' },
  ...imageFilters,
];
