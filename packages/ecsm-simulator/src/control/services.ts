/** Routes for manual changes of services, which an operator does not expect, and for their load. */
import { shape } from '@ecsm/runtime';
import type { ContainerAction } from '../platform/model.ts';
import { edited } from './edit.ts';
import { findService } from './find.ts';
import { numberFrom, readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

const anyObject = shape.record(shape.anything());
const actions: readonly ContainerAction[] = ['start', 'stop', 'restart', 'pause', 'unpause'];

export const serviceRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/sim/services/:service/load',
    does: 'sets the resource usage of a service: of each instance, and in total, shared by the running instances, optionally as a wave; percent of the CPU, memory, disk',
    body: { cpuPercent: 0, memoryBytes: 100_000_000, cpuPercentTotal: 240, wavePeriodMs: 600_000, wavePercent: 50 },
    handle(call) {
      const { id, name } = findService(call);
      const load = readBody(call.request, {
        cpuPercent: shape.optional(numberFrom(0, 100_000)),
        memoryBytes: shape.optional(numberFrom(0)),
        diskBytes: shape.optional(numberFrom(0)),
        cpuPercentTotal: shape.optional(numberFrom(0, 1_000_000)),
        memoryBytesTotal: shape.optional(numberFrom(0)),
        wavePeriodMs: shape.optional(numberFrom(0)),
        wavePercent: shape.optional(numberFrom(0, 100)),
      });
      call.platform.setLoad(id, load);
      return { service: name, load: call.platform.service(id)?.load };
    },
  },
  {
    method: 'POST',
    path: '/sim/services/:service/edit',
    does: 'changes some fields of a service, as a user of the web UI would; null removes a variable of env',
    body: { image: 'telemetry@1.1.0#sylixos', factor: 2, nodeNames: ['node-1'], env: { RATE: '20' } },
    handle(call) {
      const service = findService(call);
      const edit = readBody(call.request, {
        name: shape.optional(shape.string()),
        image: shape.optional(shape.string()),
        factor: shape.optional(numberFrom(0, 1_000_000)),
        policy: shape.optional(shape.exactly('dynamic', 'static')),
        nodeNames: shape.optional(shape.list(shape.string())),
        prepull: shape.optional(shape.boolean()),
        action: shape.optional(shape.exactly('run', 'load')),
        pullPolicy: shape.optional(shape.string()),
        autoUpgrade: shape.optional(shape.string()),
        env: shape.optional(shape.record(shape.nullable(shape.string()))),
        config: shape.optional(anyObject),
        vsoa: shape.optional(anyObject),
      });
      const { id, taskIds } = call.platform.updateService(service.id, edited(service, edit));
      return { service: call.platform.service(id)?.name, id, taskIds };
    },
  },
  {
    method: 'DELETE',
    path: '/sim/services/:service',
    does: 'deletes a service',
    handle(call) {
      const { id, name } = findService(call);
      return { service: name, transaction: call.platform.deleteService(id).id };
    },
  },
  {
    method: 'POST',
    path: '/sim/services/:service/redeploy',
    does: 'redeploys all containers of a service',
    handle(call) {
      const { id, name } = findService(call);
      call.platform.redeployService(id);
      return { service: name };
    },
  },
  ...actions.map(
    (action): ControlRoute => ({
      method: 'POST',
      path: `/sim/services/:service/${action}`,
      does: `${action}s all containers of a service`,
      handle(call) {
        const { id, name } = findService(call);
        return { service: name, transaction: call.platform.controlService(id, action).id };
      },
    }),
  ),
];
