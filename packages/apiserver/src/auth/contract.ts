/**
 * Who sends a request, and what they may do, with the terms of Kubernetes. The HTTP server asks an `Authenticator` for the
 * user before it reads a body, and an `Authorizer` for every request.
 */

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const groups = {
  /** Its members may do everything, whatever the roles say. */
  masters: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
} as const;

/** The key in `extra` of which credentials were used, as in Kubernetes. */
export const credentialId = 'authentication.kubernetes.io/credential-id';

/** The user of requests without credentials. */
export const anonymous: User = { name: 'system:anonymous', groups: [groups.unauthenticated] };

/** Kubernetes' authorizer.Attributes. What does not apply is the empty string. */
export interface RequestAttributes {
  readonly user: User;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for a path the method in lower case. */
  readonly verb: string;
  /** False for paths such as `/version`: then only user, verb and path count. */
  readonly isResource: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for a cluster-scoped resource, and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Without the query. */
  readonly path: string;
}

export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** What `socket.getPeerX509Certificate()` returns, whether TLS has verified it or not. */
  readonly peerCertificate: PeerCertificate | undefined;
}

export interface PeerCertificate {
  /** In DER. */
  readonly raw: Buffer;
}

export interface Authenticator {
  /** Returns undefined if there are no credentials: the request is anonymous. Throws `Unauthorized` if they are invalid. */
  authenticate(request: Credentials): Promise<User | undefined>;
  /** The user, if an earlier request of the same connection has shown who it is. Returns undefined otherwise. */
  known?(request: Credentials): User | undefined;
}

export interface Authorizer {
  /**
   * `reason` says which binding allows a request; it is empty if none does. Called for every request, so it decides by what
   * is in memory.
   */
  authorize(attributes: RequestAttributes): Decision;
  /** What a user may do in a namespace, including what they may do everywhere. */
  rulesFor(user: User, namespace: string): Promise<UserRules>;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
