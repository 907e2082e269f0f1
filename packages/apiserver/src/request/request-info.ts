/**
 * What a request addresses, from its method, path and query, as Kubernetes' RequestInfoFactory. Authorization, audit and
 * the verbs use the result, so a path has one reading only: what is ambiguous is rejected.
 */
import { ApiError, formatPath, isApiError, parseFieldSelector } from '@ecsm/runtime';
import { HttpError, pathNotFound } from '../response/http-error.ts';
import { flag } from './query.ts';

type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface ResourceRequest {
  readonly type: 'resource';
  readonly verb: ResourceVerb;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** As in Kubernetes, also set for `namespaces/NAME` itself, so that a role in a namespace can grant access to it. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The name in `fieldSelector=metadata.name=NAME` of a list or watch, which rules with resource names apply to. */
  readonly selectedName: string | undefined;
  readonly path: string;
}

interface PathRequest {
  readonly type: 'path';
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** Subresources of a namespace; any other word after its name is a resource in it. */
const namespaceSubresources = ['status', 'finalize'];

/**
 * `path` is still percent-encoded; the paths in the result are decoded, without a slash at the end. Throws BadRequest
 * for an invalid path, and HttpError for a method or a path that no resource has.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = segmentsOf(path);
  const decoded = path.includes('%') || path.endsWith('/') ? `/${segments.join('/')}` : path;
  const prefix = segments[0];
  const isCore = prefix === 'api';
  const versionIndex = isCore ? 1 : 2;
  if ((!isCore && prefix !== 'apis') || segments.length < versionIndex + 2) {
    return { type: 'path', verb: method.toLowerCase(), path: decoded };
  }
  const version = segments[versionIndex] ?? '';
  const { namespace, resourceIndex } = placeOf(segments, versionIndex + 1);
  const resource = segments[resourceIndex] ?? '';
  const name = segments[resourceIndex + 1];
  const subresource = segments[resourceIndex + 2];
  if (segments.length > resourceIndex + 3) throw pathNotFound();
  const verb = verbOf(method, name !== undefined, query);
  return {
    type: 'resource',
    verb,
    group: isCore ? '' : (segments[1] ?? ''),
    version,
    resource,
    namespace,
    name,
    subresource,
    selectedName: verb === 'list' || verb === 'watch' ? selectedName(query) : undefined,
    path: decoded,
  };
}

function segmentsOf(path: string): readonly string[] {
  if (!path.startsWith('/')) throw badPath('must start with "/"');
  if (path.includes('//')) throw badPath('must not contain "//"');
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  if (trimmed === '') return [];
  const segments = trimmed.split('/');
  // Most paths have nothing to decode or to reject.
  return /%|\/\.|\0/.test(path) ? segments.map(decodeSegment) : segments;
}

function decodeSegment(encoded: string): string {
  const segment = encoded.includes('%') ? decodePercent(encoded) : encoded;
  if (segment === '.' || segment === '..') throw badPath(`must not contain the segment "${segment}"`);
  // An encoded slash could hide a segment from one reader of the path and not from another.
  if (/[/\0]/u.test(segment)) throw badPath('must not contain an encoded "/" or NUL');
  return segment;
}

function decodePercent(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw badPath('has an invalid percent-encoding');
  }
}

function badPath(reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `the path of the request ${reason}` });
}

/** The namespace in the segments after the version, and which of them is the resource. */
function placeOf(
  segments: readonly string[],
  from: number,
): { readonly namespace: string | undefined; readonly resourceIndex: number } {
  const namespace = segments[from] === 'namespaces' ? segments[from + 1] : undefined;
  if (namespace === undefined) return { namespace, resourceIndex: from };
  const resource = segments[from + 2];
  // Namespaces are in no namespace: a role in this one must not apply to all of them.
  if (resource === 'namespaces') throw pathNotFound();
  const isItself = resource === undefined || namespaceSubresources.includes(resource);
  return { namespace, resourceIndex: isItself ? from : from + 2 };
}

function verbOf(method: string, hasName: boolean, query: URLSearchParams): ResourceVerb {
  switch (method.toUpperCase()) {
    case 'GET':
    case 'HEAD':
      if (hasName) return 'get';
      // A response to HEAD has no body, so it cannot be a stream.
      return flag(query, 'watch') && method.toUpperCase() === 'GET' ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      throw new HttpError(
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
        {},
      );
  }
}

function selectedName(query: URLSearchParams): string | undefined {
  const text = query.get('fieldSelector');
  if (text === null || text === '') return undefined;
  try {
    const exact = parseFieldSelector(text).requirements.find(
      ({ path, operator }) => formatPath('', path) === 'metadata.name' && operator === '=',
    );
    return exact?.value === '' ? undefined : exact?.value;
  } catch (error) {
    // The list itself reports a selector that does not parse.
    if (isApiError(error, 'BadRequest')) return undefined;
    throw error;
  }
}
