/**
 * One request, from its headers to its response: who sends it, whether they may, and then what it asks for. A request is
 * rejected before its body is read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Kind, Log, Registry } from '@ecsm/runtime';
import type { AuditRecord } from '../audit/record.ts';
import {
  type Authenticator,
  type Authorizer,
  anonymous,
  type Credentials,
  groups,
  type RequestAttributes,
  type User,
} from '../auth/contract.ts';
import { forbidden } from '../auth/rbac/authorizer.ts';
import { negotiate } from '../request/accept.ts';
import { listOptionsOf } from '../request/options.ts';
import { type RequestInfo, requestInfo } from '../request/request-info.ts';
import { HttpError, pathNotFound, unauthorized } from '../response/http-error.ts';
import type { Call, Json, Target } from '../verbs/call.ts';
import { dispatch } from '../verbs/dispatch.ts';
import { timerSecondsMax, watch, watchSecondsMax } from '../verbs/watch.ts';
import { attributesOf, described } from './attributes.ts';
import { readBody } from './body.ts';
import { Deadlines } from './deadline.ts';
import type { Exchange } from './exchange.ts';
import { HiddenSecrets, secretsRequest } from './hidden-secrets.ts';
import { impersonationOf, isImpersonation } from './impersonation.ts';
import { Admission, type Limits } from './limits.ts';
import { type Paths, publicPaths } from './paths.ts';
import { PeerCertificates } from './peer-certificates.ts';
import { represent, sendError, sendJson, sendText, type View, warningHeader } from './respond.ts';
import type { Reviews } from './reviews.ts';
import type { ServedResources } from './served.ts';
import { stream } from './stream.ts';
import { urlOf } from './url.ts';

interface HandlerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  readonly served: ServedResources;
  readonly paths: Paths;
  /** Default: every request is anonymous. */
  readonly authenticator: Authenticator | undefined;
  /** Default: everything is allowed. */
  readonly authorizer: Authorizer | undefined;
  readonly limits: Limits;
  /** Interval between bookmarks of a watch. */
  readonly bookmarkMs: number;
  /** See `Call`. */
  readonly admit: (user: User, kind: Kind, object: Json, isPart: boolean) => Promise<void>;
  readonly reviews: Reviews;
  /** Called when a request has ended. Default: there is no audit log. */
  readonly onEnd: ((record: AuditRecord) => void) | undefined;
  /** Called when nothing more will be written into a response. It may not have been sent yet. */
  readonly onAnswered: (response: ServerResponse) => void;
  /** Aborts when the server closes: watches end. */
  readonly signal: AbortSignal;
}

type ResourceInfo = Extract<RequestInfo, { type: 'resource' }>;

const resourceWrites = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const msPerSecond = 1_000;
const noBytes = Buffer.alloc(0);

export class Handler {
  readonly #options: HandlerOptions;
  readonly #requests: Admission;
  readonly #watches: Admission;
  readonly #peers = new PeerCertificates();
  readonly #deadlines: Deadlines;

  constructor(options: HandlerOptions) {
    this.#options = options;
    const { inFlightMax, inFlightPerUserMax, watchesMax, watchesPerUserMax } = options.limits;
    this.#requests = new Admission(inFlightMax, inFlightPerUserMax);
    this.#watches = new Admission(watchesMax, watchesPerUserMax);
    this.#deadlines = new Deadlines(options.clock, options.limits.registryTimeoutMs);
  }

  get watches(): number {
    return this.#watches.total;
  }

  /** After the last request. */
  stop(): void {
    this.#deadlines.stop();
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, onEnd, onAnswered, log, registry, authenticator, authorizer } = this.#options;
    const startMs = clock.monotonicMs();
    const receivedMs = clock.now();
    const auditId = registry.random.uuid();
    // A request that has been destroyed has no socket, whatever its type says.
    const sourceAddress = onEnd && (request.socket.remoteAddress ?? '');
    const exchange: Exchange = { request, response, headers: ['Audit-Id', auditId] };
    let info: RequestInfo | undefined;
    let user = anonymous;
    let sender: User | undefined;
    let code = 500;
    try {
      const { path, searchParams } = urlOf(request);
      info = requestInfo(request.method ?? 'GET', path, searchParams);
      // Without an await where nothing is waited for: each costs as much as the parsing of a path.
      if (authenticator) {
        const credentials = this.#credentialsOf(request);
        user = authenticator.known?.(credentials) ?? (await this.#authenticate(authenticator, credentials));
      }
      if (isImpersonation(request)) {
        const { target, check } = impersonationOf(request);
        // Before the check: a refused one is audited with its target.
        [sender, user] = [user, target];
        check(sender, (attributes) => this.#allows(attributes));
      }
      if (authorizer) this.#authorize(info, user);
      code = await this.#answer(exchange, info, user, searchParams);
    } catch (error) {
      try {
        code = await sendError(exchange, error, info?.type === 'resource' ? info : undefined);
        if (code === 500) log.write('error', 'request failed', { path: info?.path, error });
      } catch {
        response.destroy();
      }
    }
    onAnswered(response);
    if (onEnd === undefined || sourceAddress === undefined) return;
    const durationMs = clock.monotonicMs() - startMs;
    const who = sender ? { user: sender, impersonatedUser: user } : { user };
    onEnd({ receivedMs, durationMs, auditId, ...who, code, sourceAddress, ...described(request, info) });
  }

  #credentialsOf({ socket, headers }: IncomingMessage): Credentials {
    return { authorization: headers.authorization, peerCertificate: this.#peers.certificateOf(socket) };
  }

  async #authenticate(authenticator: Authenticator, credentials: Credentials): Promise<User> {
    // Tokens are in the registry.
    return (await this.#deadlines.within(authenticator.authenticate(credentials))) ?? anonymous;
  }

  #authorize(info: RequestInfo, user: User): void {
    if (publicPaths.includes(info.path)) return;
    const attributes = attributesOf(info, user);
    if (this.#allows(attributes)) return;
    if (user.groups.includes(groups.unauthenticated)) throw unauthorized();
    throw forbidden(attributes);
  }

  #allows(attributes: RequestAttributes): boolean {
    const { authorizer } = this.#options;
    return authorizer === undefined || authorizer.authorize(attributes).allowed;
  }

  async #answer(exchange: Exchange, info: RequestInfo, user: User, query: URLSearchParams): Promise<number> {
    if (info.type === 'resource' && info.verb === 'watch') return this.#watch(exchange, info, user, query);
    const leave = this.#requests.enter(user.name);
    try {
      return info.type === 'path'
        ? await this.#path(exchange, info.path, user)
        : await this.#resource(exchange, info, user, query);
    } finally {
      leave();
    }
  }

  async #path(exchange: Exchange, path: string, user: User): Promise<number> {
    const { request, response, headers } = exchange;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new HttpError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
    }
    const answer = this.#options.paths.answer(path, request.headers.accept ?? '');
    const { body, contentType } = await this.#inTime(user, answer);
    if (typeof body === 'string') {
      headers.push('Content-Type', contentType ?? 'text/plain', 'Content-Length', String(Buffer.byteLength(body)));
      response.writeHead(200, headers).end(body);
    } else await sendJson(exchange, 200, body, contentType);
    return 200;
  }

  async #resource(exchange: Exchange, info: ResourceInfo, user: User, query: URLSearchParams): Promise<number> {
    const { request, headers } = exchange;
    const { reviews, limits } = this.#options;
    if (reviews.has(info)) {
      const bytes = await readBody(request, limits.bodyBytesMax);
      const body = { bytes, contentType: request.headers['content-type'] };
      await sendJson(exchange, 201, await this.#inTime(user, reviews.answer(info, user, body)));
      return 201;
    }
    const target = this.#target(info);
    const accept = negotiate(request.headers.accept);
    const isWrite = resourceWrites.has(info.verb);
    const bytes = isWrite ? await readBody(request, limits.bodyBytesMax) : noBytes;
    const warn = (text: string) => void headers.push('Warning', warningHeader(text));
    const hidden = this.#hiddenFrom(user, target, info);
    const call = this.#call(request, info, user, target, query, {
      bytes,
      warn,
      isTransformed: accept.as !== undefined || hidden !== undefined,
      hidesSecrets: hidden !== undefined,
    });
    const found = await this.#inTime(user, dispatch(call, info.verb));
    const answer = hidden ? hidden.answer(found, warn) : found;
    if (answer.type === 'text') {
      await sendText(exchange, answer.code, answer.parts, accept.mediaType);
      return answer.code;
    }
    const body = represent(answer, target.kind, this.#view(accept, query));
    const code = answer.type === 'list' ? 200 : answer.code;
    // JSON is valid YAML, too.
    await sendJson(exchange, code, body, accept.mediaType);
    return code;
  }

  async #watch(exchange: Exchange, info: ResourceInfo, user: User, query: URLSearchParams): Promise<number> {
    const { request, response } = exchange;
    const target = this.#target(info);
    const hidden = this.#hiddenFrom(user, target, info);
    const view = { ...this.#view(negotiate(request.headers.accept), query), hidden };
    const { timeoutSeconds = watchSecondsMax } = listOptionsOf(query);
    const leave = this.#watches.enter(user.name);
    let leaveList = () => {};
    const end = new AbortController();
    const abort = () => end.abort();
    const { signal, clock, bookmarkMs } = this.#options;
    const cancel = clock.after(Math.min(timeoutSeconds, timerSecondsMax) * msPerSecond, abort);
    response.once('close', abort);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const call = this.#call(request, info, user, target, query, {
        bytes: noBytes,
        warn: () => {},
        isTransformed: true,
        hidesSecrets: hidden !== undefined,
      });
      const enterList = () => {
        leaveList = this.#requests.enter(user.name);
        return leaveList;
      };
      const events = await this.#inTime(user, watch({ ...call, signal: end.signal, enterList }, bookmarkMs));
      if (hidden) exchange.headers.push('Warning', warningHeader(hidden.warning));
      await stream(exchange, events, target.kind, view, end.signal);
      return 200;
    } finally {
      abort();
      cancel();
      signal.removeEventListener('abort', abort);
      response.removeListener('close', abort);
      leaveList();
      leave();
    }
  }

  /** Throws `Timeout`. Work that is late still counts against the limits of the user. */
  #inTime<T>({ name }: User, work: Promise<T>): Promise<T> {
    return this.#deadlines.within(work, () => this.#requests.occupy(name, work));
  }

  #target({ group, version, resource, namespace }: ResourceInfo): Target {
    const target = this.#options.served.get(group, version, resource, namespace);
    if (namespace !== undefined && target.kind.scope === 'Cluster' && resource !== 'namespaces') {
      throw pathNotFound();
    }
    return target;
  }

  #call(
    request: IncomingMessage,
    info: ResourceInfo,
    user: User,
    target: Target,
    query: URLSearchParams,
    { bytes, ...own }: { readonly bytes: Buffer } & Pick<Call, 'warn' | 'isTransformed' | 'hidesSecrets'>,
  ): Call {
    const { registry, clock, signal, admit } = this.#options;
    const { namespace, name, subresource } = info;
    return {
      registry,
      clock,
      target,
      namespace: target.kind.scope === 'Cluster' ? undefined : namespace,
      name,
      subresource,
      query,
      body: { bytes, contentType: request.headers['content-type'] },
      defaultManager: resourceWrites.has(info.verb) ? programOf(request) : '',
      admit: (object, isPart = false) => admit(user, target.kind, object, isPart),
      checkCreate: async () => {
        const attributes = attributesOf({ ...info, verb: 'create' }, user);
        if (!this.#allows(attributes)) throw forbidden(attributes);
      },
      ...own,
      signal,
    };
  }

  /** Undefined if the user may see the secrets of all objects of the request. */
  #hiddenFrom(user: User, { kind }: Target, { namespace }: ResourceInfo): HiddenSecrets | undefined {
    const place = kind.scope === 'Cluster' ? undefined : namespace;
    return HiddenSecrets.of(kind, place, (one) => this.#allows(secretsRequest(user, one)));
  }

  #view(accept: View['accept'], query: URLSearchParams): View {
    const wanted = query.get('includeObject');
    const includeObject = wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
    return { accept, includeObject, clock: this.#options.clock };
  }
}

/** The program that sends a request, by its user agent: the manager of the fields that it writes. */
function programOf({ headers }: IncomingMessage): string {
  const [program = ''] = (headers['user-agent'] ?? '').split('/');
  return program.trim().slice(0, 128) || 'unknown';
}
