/**
 * The control API below `/sim/`, to inject faults and to inspect the platform. Responses are JSON: `{"ok":true, …}`, or
 * an HTTP status of 400 or more with `{"error":"a sentence"}`.
 */
import { Buffer } from 'node:buffer';
import { isApiError, nearest } from '@ecsm/runtime';
import type { Handler, Request, Response } from '../api/exchange.ts';
import { Router, segmentsOf } from '../api/router.ts';
import { Refusal } from '../platform/refusal.ts';
import { behaviourRoutes } from './behaviour-routes.ts';
import { containerRoutes } from './containers.ts';
import { imageRoutes } from './images.ts';
import { ControlError } from './input.ts';
import { linkRoutes } from './link.ts';
import { nodeRoutes } from './nodes.ts';
import { serviceRoutes } from './services.ts';
import { simulatorRoutes } from './simulator.ts';
import type { ControlRoute, ControlSubject } from './subject.ts';

export const controlRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sim/',
    does: 'lists these routes',
    handle: () => ({ routes: controlRoutes.map(({ handle: _, ...route }) => route) }),
  },
  ...simulatorRoutes,
  ...nodeRoutes,
  ...containerRoutes,
  ...serviceRoutes,
  ...imageRoutes,
  ...linkRoutes,
  ...behaviourRoutes,
];

const router = new Router(controlRoutes);

export function createControl(subject: ControlSubject): Handler {
  return (request) => {
    try {
      const [encoded = '', search = ''] = request.target.split('?', 2);
      const { route, parameters } = find(request, segmentsOf(encoded).map(decoded));
      const { platform } = subject;
      const query = new URLSearchParams(search);
      return respond(200, { ok: true, ...route.handle({ subject, platform, request, parameters, query }) });
    } catch (error) {
      return respond(statusOf(error), { error: error instanceof Error ? error.message : String(error) });
    }
  };
}

function find({ method }: Request, segments: readonly string[]) {
  const match = router.match(method, segments);
  if (match.kind === 'found') return match;
  const path = `/${segments.join('/')}`;
  if (match.kind === 'unknown') throw new ControlError(404, `there is no route ${path}.${hint(path)}`);
  const allowed = ['GET', 'POST', 'PUT', 'DELETE'].filter((one) => match.allowed.includes(one));
  throw new ControlError(405, `${path} accepts ${allowed.join(' or ')}, not ${method}`);
}

/** Suggests the nearest route, with the parameters of this path filled in. */
function hint(path: string): string {
  const segments = path.split('/');
  const candidates = controlRoutes.map(({ path: pattern }) =>
    pattern
      .split('/')
      .map((part, place) => (part.startsWith(':') ? segments[place] || part : part))
      .join('/'),
  );
  const near = nearest(path, candidates);
  return near === undefined ? ' GET /sim/ lists all routes.' : ` Did you mean ${near}?`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlError(400, `${segment} of the path is not properly percent-encoded`);
  }
}

function statusOf(error: unknown): number {
  if (error instanceof ControlError) return error.status;
  if (error instanceof Refusal) return error.httpStatus;
  return isApiError(error) ? error.status : 500;
}

function respond(status: number, value: unknown): Response {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(`${JSON.stringify(value)}\n`),
  };
}
