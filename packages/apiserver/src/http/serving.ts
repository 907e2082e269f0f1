/**
 * A server with everything that a program needs: certificates in a directory, authentication by client certificate and
 * token, RBAC, an audit log, garbage collection, and the controller of namespaces. It is a list of runnables for a manager.
 */
import {
  Backoff,
  Event,
  eventPruner,
  garbageCollector,
  isApiError,
  type Log,
  NAMESPACE_DEFAULT,
  type Registry,
  type RunContext,
  type Runnable,
  silentLog,
  sleep,
} from '@ecsm/runtime';
import { AuditLog } from '../audit/log.ts';
import { UnionAuthenticator } from '../auth/authenticator.ts';
import { BearerAuthenticator } from '../auth/bearer.ts';
import { CertificateAuthenticator } from '../auth/client-certificate.ts';
import type { RbacSource } from '../auth/rbac/authorizer.ts';
import { bootstrapRbac } from '../auth/rbac/bootstrap.ts';
import { defaultObjects, servedResources } from '../auth/rbac/defaults.ts';
import type { RbacObjects } from '../auth/rbac/objects.ts';
import { Policy } from '../auth/rbac/policy.ts';
import { RegistryRbac } from '../auth/rbac/registry-source.ts';
import { RegistryTokens } from '../auth/registry-tokens.ts';
import { Certificates } from '../tls/certificates.ts';
import type { Target } from '../verbs/call.ts';
import { createNamespaces, namespaceController } from './namespace-controller.ts';
import { ApiServer, type ListenAddress } from './server.ts';

export interface ServingOptions {
  /** Opened with `serverKinds` among its kinds. */
  readonly registry: Registry;
  readonly address: ListenAddress;
  /** For keys and certificates; created if it does not exist. */
  readonly directory: string;
  /** Further DNS names and IP addresses by which clients reach the server. Default: none. */
  readonly names?: readonly string[];
  /** Read-only resources beside those of the registry. Default: none. */
  readonly views?: readonly Target[];
  /** Namespaces that have an object even if the registry has nothing in them: those of views. Default: none. */
  readonly viewNamespaces?: readonly string[];
  /** File of the audit log. Default: none. */
  readonly auditFile?: string;
  readonly log?: Log;
}

export interface Serving {
  readonly url: string;
  /** The file with the credentials of the administrator. */
  readonly adminKubeconfig: string;
  /**
   * The server runs in every candidate. Garbage collection, the removal of old events and the controller of namespaces
   * run only in the leader.
   */
  readonly runnables: readonly Runnable[];
  /** Idempotent. The manager closes the server, too, unless it was stopped before it had started anything. */
  close(): Promise<void>;
}

/** Interval between checks whether the server's certificate has to be renewed. */
const renewMs = 3_600_000;

/** Listens; requests are answered from now on, by default roles only until the runnables run. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { registry, address, directory, names = [], auditFile, log = silentLog } = options;
  const { clock } = registry;
  const host = reachableHost(address.host);
  const certificatesFor = (server: string) =>
    new Certificates({ directory, names: [host, ...names], server, clock, log });
  const { server: credentials, authorityPem } = certificatesFor(urlOf(host, address.port));
  const audit = auditFile === undefined ? undefined : new AuditLog({ path: auditFile, clock, log });
  const rbac = new FollowedRbac(registry);
  const server = new ApiServer({
    registry,
    credentials,
    log,
    authenticator: new UnionAuthenticator(
      new CertificateAuthenticator(authorityPem, clock),
      new BearerAuthenticator(new RegistryTokens(registry), clock),
    ),
    rbac,
    ...(options.views && { views: options.views }),
    ...(audit && { onEnd: (record) => audit.write(record) }),
  });
  const namespaces = [NAMESPACE_DEFAULT, ...(options.viewNamespaces ?? [])];
  await createFirst(registry, namespaces, log);
  const { port } = await server.listen(address);
  const certificates = certificatesFor(urlOf(host, port));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close().then(() => audit?.close());
    return closed;
  };
  const renew = () => {
    try {
      const renewed = certificates.renew();
      if (renewed) server.renew(renewed);
    } catch (error) {
      // The certificates in use are good for months yet: a disk that is full or a file that is damaged can be repaired.
      if (!isApiError(error)) throw error;
      log.write('error', 'certificates cannot be renewed; retrying', { error: error.message, retryMs: renewMs });
    }
  };
  const serve = async ({ signal }: RunContext) => {
    while (!signal.aborted) {
      await sleep(clock, renewMs, signal);
      if (!signal.aborted) renew();
    }
    await close();
  };
  return {
    url: urlOf(host, port),
    adminKubeconfig: certificates.adminKubeconfig,
    runnables: [
      { name: 'apiserver', needsLeader: false, run: serve },
      { name: 'rbac', needsLeader: false, run: (context) => rbac.run(context, log) },
      garbageCollector(log),
      ...(registry.kinds.find(Event.apiVersion, Event.kind) === undefined ? [] : [eventPruner({ log })]),
      ...namespaceController(log, namespaces),
    ],
    close,
  };
}

/**
 * Before the first request, so that no list is of version 0: clients of Kubernetes take that for "any version", and some
 * refuse to watch from it.
 */
async function createFirst(registry: Registry, namespaces: readonly string[], log: Log): Promise<void> {
  try {
    await createNamespaces(registry, namespaces, log);
  } catch (error) {
    if (!isApiError(error)) throw error;
    log.write('warn', 'namespaces could not be created; retrying', { error: error.message });
  }
}

/** The default roles until the roles of the registry are read. */
class FollowedRbac implements RbacSource {
  readonly #defaults: RbacObjects;
  readonly #initial: Policy;
  #followed: RegistryRbac | undefined;

  constructor({ kinds }: Registry) {
    this.#defaults = defaultObjects(servedResources(kinds));
    this.#initial = new Policy(this.#defaults);
  }

  policy(): Policy {
    return this.#followed?.policy() ?? this.#initial;
  }

  async run({ registry, informers, signal }: RunContext, log: Log): Promise<void> {
    this.#followed = new RegistryRbac({ registry, informers, defaults: this.#defaults, log });
    await Promise.all([this.#store(registry, signal, log), this.#followed.run(signal)]);
  }

  /** The default roles are in effect without it, so a registry that cannot be written does not end the server. */
  async #store(registry: Registry, signal: AbortSignal, log: Log): Promise<void> {
    const backoff = new Backoff(registry.random);
    while (!signal.aborted) {
      try {
        await bootstrapRbac(registry, this.#defaults);
        return;
      } catch (error) {
        if (!isApiError(error)) throw error;
        log.write('warn', 'default roles could not be stored; retrying', { error: error.message });
        await sleep(registry.clock, backoff.next(), signal);
      }
    }
  }
}

/** For clients on this machine, if the server listens on all addresses. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function urlOf(host: string, port: number): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
