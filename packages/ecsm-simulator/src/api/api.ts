/** The platform's REST API: parses requests, calls the routes, and serializes their results or errors. */
import type { Platform } from '../platform/contract.ts';
import { Refusal } from '../platform/refusal.ts';
import { Call } from './call.ts';
import { failure, success, wrongMethod } from './envelope.ts';
import type { Handler, Request, Response } from './exchange.ts';
import { badRequest } from './input.ts';
import { Query } from './query.ts';
import { segmentsOf } from './router.ts';
import { router } from './routes.ts';

export interface ApiOptions {
  /** Prefix of every path. Default `/api/v1`. */
  readonly basePath?: string;
  /** A larger body is rejected. Default 64 MiB. */
  readonly bodyBytesMax?: number;
}

/** Far above the limit of real servers. */
const targetLengthMax = 1 << 20;

/** The returned handler never throws. */
export function createApi(
  platform: Platform,
  { basePath = '/api/v1', bodyBytesMax = 64 * 2 ** 20 }: ApiOptions = {},
): Handler {
  const response = (request: Request): Response => {
    const [path, query] = splitTarget(request.target);
    if (path !== basePath && !path.startsWith(`${basePath}/`)) throw new Refusal('noSuchCall');
    const match = router.match(request.method, segmentsOf(path.slice(basePath.length)).map(decode));
    if (match.kind === 'wrongMethod') return wrongMethod(match.allowed);
    if (match.kind === 'unknown') throw new Refusal('noSuchCall');
    const { route, parameters } = match;
    if (route.exists && !route.exists(platform.behaviour)) throw new Refusal('noSuchCall');
    const call = new Call({ platform, request, query: new Query(query), parameters, bodyBytesMax });
    return success(route.handle(call));
  };
  return (request) => {
    try {
      return response(request);
    } catch (error) {
      return failure(error, platform.behaviour);
    }
  };
}

function splitTarget(target: string): readonly [path: string, query: string] {
  if (target.length > targetLengthMax) throw badRequest('target', `should have at most ${targetLengthMax} characters`);
  const at = target.indexOf('?');
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('path', 'is not properly percent-encoded');
  }
}
