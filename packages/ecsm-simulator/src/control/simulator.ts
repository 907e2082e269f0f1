/** Routes for the whole simulator: state, journal and reset. */
import { shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Container } from '../platform/model.ts';
import { ControlError, queryNumber, readBody } from './input.ts';
import { journalLimits } from './journal.ts';
import { checkState } from './state.ts';
import type { ControlRoute } from './subject.ts';

const pageDefault = 100;

export const simulatorRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sim/summary',
    does: 'counts nodes, services, containers, images and calls',
    handle: ({ platform, subject: { journal, link } }) => ({
      timeMs: platform.now(),
      ...countObjects(platform),
      calls: journal.totals,
      held: link.held,
    }),
  },
  {
    method: 'GET',
    path: '/sim/state',
    does: 'returns the whole state',
    handle: ({ platform }) => ({ state: platform.snapshot() }),
  },
  {
    method: 'PUT',
    path: '/sim/state',
    does: 'replaces the state with an earlier response of GET /sim/state',
    handle({ subject, request }) {
      const body = readBody(request, { ok: shape.optional(shape.boolean()), state: shape.anything() });
      const check = checkState(body.state);
      if ('problem' in check) throw new ControlError(400, check.problem);
      subject.restore(check.state);
      return countObjects(subject.platform);
    },
  },
  {
    method: 'POST',
    path: '/sim/reset',
    does: 'restores the initial state, switches, link and journal',
    handle({ subject }) {
      subject.reset();
      return countObjects(subject.platform);
    },
  },
  {
    method: 'GET',
    path: '/sim/journal',
    does: `returns calls: ?after=N for those after number N, ?limit=N for at most N (default ${pageDefault}); the last ${journalLimits.entriesMax} are kept, the counts by endpoint are complete`,
    handle({ subject: { journal }, query }) {
      const after = queryNumber(query, 'after', 0, Number.MAX_SAFE_INTEGER);
      const limit = queryNumber(query, 'limit', pageDefault, journalLimits.entriesMax);
      const entries = journal.entries(after, limit);
      return { entries, last: journal.last, totals: journal.totals, endpoints: journal.byEndpoint() };
    },
  },
  {
    method: 'DELETE',
    path: '/sim/journal',
    does: 'deletes the recorded calls and their counts',
    handle({ subject: { journal } }) {
      journal.clear();
      return { last: journal.last };
    },
  },
];

function countObjects(platform: Platform): Readonly<Record<string, unknown>> {
  platform.advance();
  const nodes = platform.nodes();
  const services = platform.services();
  const containers: readonly Container[] = services.flatMap(({ id }) => platform.containersOfService(id));
  const count = (isOne: (container: Container) => boolean) => containers.filter(isOne).length;
  return {
    nodes: { total: nodes.length, online: nodes.filter(({ online }) => online).length },
    services: {
      total: services.length,
      deploying: services.filter((service) => platform.statusOfService(service) === 'deploying').length,
      deleting: services.filter(({ deletingMs }) => deletingMs !== null).length,
    },
    containers: {
      total: containers.length,
      running: count(({ status }) => status === 'running'),
      deploying: count(({ deployStatus }) => deployStatus === 'deploying'),
      failed: count(({ deployStatus }) => deployStatus === 'failure'),
    },
    images: platform.images('local').length,
  };
}
