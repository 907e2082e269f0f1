/** Routes of deployment records: one for each creation and update of a service. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { DeploymentRecord, ServiceSpec } from '../platform/model.ts';
import type { Call } from './call.ts';
import { imagePath } from './image-rows.ts';
import { known } from './known.ts';
import { pageOf } from './paging.ts';
import type { Route } from './route.ts';
import { nodeList } from './service-rows.ts';
import { timeText } from './times.ts';

export const recordRoutes: readonly Route[] = [
  { method: 'GET', path: '/service/record', section: '3', mark: 'FORK', handle: list },
  { method: 'GET', path: '/service/record/:id', section: '3', mark: 'DOC', handle: get },
  { method: 'DELETE', path: '/service/record', section: '3', mark: 'FORK', handle: remove },
];

/** Newest first. */
function list(call: Call): JsonObject {
  const records = call.platform.recordsOf(call.query.required('id'));
  return pageOf(call, records.toReversed(), ({ id, createdMs, spec }) => ({
    id,
    name: spec.name,
    cmd: commandOf(spec).join(' '),
    createdTime: timeText(createdMs, 'service', call.behaviour),
    image: spec.image.ref,
    node: { names: spec.nodeNames },
  }));
}

function get(call: Call): JsonObject {
  return recordDetail(call.platform, knownRecord(call.platform, call.parameter('id')));
}

function remove(call: Call): string {
  call.platform.deleteRecord(knownRecord(call.platform, call.query.required('id')).id);
  return 'success';
}

function knownRecord(platform: Platform, id: string): DeploymentRecord {
  return known(platform.record(id), 'recordNotFound', id);
}

function recordDetail(platform: Platform, { spec, createdMs }: DeploymentRecord): JsonObject {
  const { behaviour } = platform;
  const command = commandOf(spec);
  const image = platform.imageByRef(spec.image.ref);
  return {
    action: spec.image.action,
    cmd: behaviour.recordCommand === 'array' ? command : command.join(' '),
    config: spec.image.config,
    name: spec.name,
    vsoa: spec.image.vsoa ?? null,
    ...(behaviour.recordNodes === 'node'
      ? { node: { names: spec.nodeNames } }
      : { nodeList: nodeList(platform, spec.nodeNames) }),
    image: {
      id: image?.id ?? null,
      ref: spec.image.ref,
      path: image ? imagePath(platform, image) : null,
      pullPolicy: spec.image.pullPolicy,
      autoUpgrade: spec.image.autoUpgrade,
    },
    createdTime: timeText(createdMs, 'service', behaviour),
    policy: spec.policy,
    factor: spec.factor,
  };
}

/** The command of the container: at `process.args` for SylixOS images, at `cmd` for Linux images. */
function commandOf({ image: { config } }: ServiceSpec): readonly string[] {
  const { process, cmd } = config;
  const isObject = typeof process === 'object' && process !== null && !Array.isArray(process);
  const command = isObject && 'args' in process ? process.args : cmd;
  return Array.isArray(command) ? command.map(String) : [];
}
