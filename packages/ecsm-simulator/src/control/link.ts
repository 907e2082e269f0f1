/** Routes for the faults of the link. */
import { shape } from '@ecsm/runtime';
import { readBody } from './input.ts';
import type { ControlRoute } from './subject.ts';

const number = shape.optional(shape.number());

export const linkRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sim/link',
    does: 'returns the settings of the link, and the number of calls that a frozen platform holds',
    handle: ({ subject: { link } }) => ({ link: link.settings, held: link.held }),
  },
  {
    method: 'PUT',
    path: '/sim/link',
    does: 'changes some settings of the link',
    body: { latencyMs: 500, lossPercent: 5, answerLossPercent: 5, match: { method: 'POST', path: '/api/v1/service' } },
    handle({ subject: { link }, request }) {
      link.set(
        readBody(request, {
          latencyMs: number,
          latencyJitterMs: number,
          lossPercent: number,
          answerLossPercent: number,
          truncatePercent: number,
          bytesPerSecond: number,
          errorPercent: number,
          errorStatus: number,
          errorsLeft: number,
          requestsToLose: number,
          answersToLose: number,
          frozen: shape.optional(shape.boolean()),
          match: shape.optional(
            shape.nullable(
              shape.object({ method: shape.optional(shape.string()), path: shape.optional(shape.string()) }),
            ),
          ),
        }),
      );
      return { link: link.settings, held: link.held };
    },
  },
  {
    method: 'DELETE',
    path: '/sim/link',
    does: 'resets the link: no faults',
    handle({ subject: { link } }) {
      link.heal();
      return { link: link.settings, held: link.held };
    },
  },
];
