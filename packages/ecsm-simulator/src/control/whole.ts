/** The simulator as a whole: its state, its journal, back to the start. */
import { shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Container } from '../platform/model.ts';
import { ControlError, queryNumber, readBody } from './input.ts';
import { journalLimits } from './journal.ts';
import { checkState } from './state.ts';
import type { ControlRoute } from './subject.ts';

const pageDefault = 100;

export const wholeRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sim/summary',
    does: 'counts nodes, services, containers, images and calls',
    handle: ({ platform, subject: { journal, link } }) => ({
      timeMs: platform.now(),
      ...counted(platform),
      calls: journal.totals,
      held: link.held,
    }),
  },
  {
    method: 'GET',
    path: '/sim/state',
    does: 'shows the whole state',
    handle: ({ platform }) => ({ state: platform.snapshot() }),
  },
  {
    method: 'PUT',
    path: '/sim/state',
    does: 'puts another state in its place: the answer of GET /sim/state, sent back',
    handle({ subject, request }) {
      const body = readBody(request, { ok: shape.optional(shape.boolean()), state: shape.anything() });
      const check = checkState(body.state);
      if ('complaint' in check) throw new ControlError(400, check.complaint);
      subject.restore(check.state);
      return counted(subject.platform);
    },
  },
  {
    method: 'POST',
    path: '/sim/reset',
    does: 'puts everything back to how it was at the start: state, switches, link, journal',
    handle({ subject }) {
      subject.reset();
      return counted(subject.platform);
    },
  },
  {
    method: 'GET',
    path: '/sim/journal',
    does: `shows calls: ?after=N for those after number N, ?limit=N for so many (${pageDefault}); the last ${journalLimits.entriesMax} are kept, the counts by endpoint are complete`,
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
    does: 'forgets the calls so far, and their counts',
    handle({ subject: { journal } }) {
      journal.clear();
      return { last: journal.last };
    },
  },
];

function counted(platform: Platform): Readonly<Record<string, unknown>> {
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
