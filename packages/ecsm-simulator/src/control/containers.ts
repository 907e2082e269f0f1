/** Routes for faults of containers: crashes, failing health checks and deployments. */
import { shape } from '@ecsm/runtime';
import { findContainer } from './find.ts';
import { numberFrom, readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

export const containerRoutes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/sim/containers/:container/kill',
    does: 'crashes a container, by name or task id',
    handle(call) {
      const { taskId, name } = findContainer(call);
      call.platform.killContainer(taskId);
      return { container: name, status: call.platform.container(taskId)?.status ?? null };
    },
  },
  {
    method: 'POST',
    path: '/sim/containers/:container/crash-loop',
    does: 'crashes a container this long after every start; null stops the loop',
    body: { afterMs: 3_000 },
    handle(call) {
      const { taskId, name } = findContainer(call);
      const { afterMs } = readBody(call.request, { afterMs: shape.nullable(numberFrom(0)) });
      call.platform.setCrashLoop(taskId, afterMs);
      return { container: name, crashAfterMs: afterMs };
    },
  },
  {
    method: 'POST',
    path: '/sim/containers/:container/health',
    does: 'makes the health check of a container fail or pass',
    body: { healthy: false },
    handle(call) {
      const { taskId, name } = findContainer(call);
      const { healthy } = readBody(call.request, { healthy: shape.boolean() });
      call.platform.setContainerHealth(taskId, healthy);
      return { container: name, healthy };
    },
  },
  {
    method: 'POST',
    path: '/sim/deployments/fail',
    does: 'makes the next deployments of containers fail, of one service or of any; the default count is 1',
    body: { count: 2, service: 'telemetry', message: 'no space left on device' },
    handle({ platform, request }) {
      const { count = 1, ...failure } = readBody(request, {
        count: shape.optional(numberFrom(0, 1_000_000)),
        service: shape.optional(shape.string()),
        message: shape.optional(shape.string()),
      });
      platform.failDeployments({ count, ...failure });
      return { count };
    },
  },
];
