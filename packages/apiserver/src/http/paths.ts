/** What is served beside resources: health, version, discovery and OpenAPI. */
import { aggregatedContentType, groupDiscoveryList } from '../discovery/aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, versionInfo } from '../discovery/discovery.ts';
import { openApiDocument, openApiIndex } from '../discovery/openapi.ts';
import { openApiV2Accepted, openApiV2ContentType, openApiV2Document } from '../discovery/openapi-v2.ts';
import type { ServedResource } from '../discovery/served.ts';
import { negotiateDiscovery } from '../request/accept.ts';
import { HttpError, pathNotFound } from '../response/http-error.ts';

interface PathAnswer {
  readonly contentType?: string;
  readonly body: unknown;
}

/** Anybody may read these: they contain nothing but whether the server works. */
export const publicPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version'];

interface PathsOptions {
  readonly served: readonly ServedResource[];
  /** Throws if the server is not ready. */
  readonly ready: () => Promise<void>;
}

export class Paths {
  readonly #options: PathsOptions;
  /** Documents are built when they are requested first: most servers never build most of them. */
  readonly #documents = new Map<string, unknown>();

  constructor(options: PathsOptions) {
    this.#options = options;
  }

  async answer(path: string, accept: string): Promise<PathAnswer> {
    const { served, ready } = this.#options;
    const [first = '', second, third, fourth] = path.split('/').slice(1);
    switch (first) {
      case 'livez':
      case 'healthz':
        return { contentType: 'text/plain; charset=utf-8', body: 'ok' };
      case 'readyz':
        await ready();
        return { contentType: 'text/plain; charset=utf-8', body: 'ok' };
      case 'version':
        return { body: versionInfo() };
      case 'api':
        if (second === undefined || second === '') return this.#root(accept, 'api', apiVersions);
        if (third === undefined || third === '') return { body: this.#resources('', second) };
        break;
      case 'apis':
        if (second === undefined || second === '') {
          return this.#root(accept, 'apis', () => apiGroupList(served));
        }
        if (third === undefined || third === '') return { body: found(apiGroup(served, second)) };
        if (fourth === undefined || fourth === '') return { body: this.#resources(second, third) };
        break;
      case 'openapi':
        return path === '/openapi/v2' ? openApiV2(accept) : { body: this.#openApi(path) };
    }
    throw pathNotFound();
  }

  #root(accept: string, prefix: 'api' | 'apis', plain: () => unknown): PathAnswer {
    return negotiateDiscovery(accept).aggregated
      ? { contentType: aggregatedContentType, body: groupDiscoveryList(this.#options.served, prefix) }
      : { body: plain() };
  }

  #resources(group: string, version: string): unknown {
    return found(apiResourceList(this.#options.served, group, version));
  }

  #openApi(path: string): unknown {
    const { served } = this.#options;
    if (path === '/openapi/v3') return this.#cached(path, () => openApiIndex(served));
    const [, groupVersion = ''] = /^\/openapi\/v3\/(.+)$/.exec(path) ?? [];
    return this.#cached(path, () => found(openApiDocument(served, groupVersion)));
  }

  #cached(path: string, build: () => unknown): unknown {
    const known = this.#documents.get(path) ?? build();
    this.#documents.set(path, known);
    return known;
  }
}

function openApiV2(accept: string): PathAnswer {
  const isAccepted = openApiV2Accepted.some((mediaType) => accept.includes(mediaType));
  if (isAccepted) return { contentType: openApiV2ContentType, body: openApiV2Document };
  throw new HttpError(406, 'NotAcceptable', 'only OpenAPI v3 is served: /openapi/v3');
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw pathNotFound();
  return value;
}
