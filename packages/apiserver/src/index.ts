/** The public interface of the API server. */
export { AuditLog, type AuditLogOptions } from './audit/log.ts';
export type { AuditRecord } from './audit/record.ts';
export { UnionAuthenticator } from './auth/authenticator.ts';
export { BearerAuthenticator } from './auth/bearer.ts';
export { CertificateAuthenticator } from './auth/client-certificate.ts';
export * from './auth/contract.ts';
export { forbidden, RbacAuthorizer, type RbacSource } from './auth/rbac/authorizer.ts';
export { bootstrapRbac } from './auth/rbac/bootstrap.ts';
export { defaultObjects, type ServedResource, servedResources } from './auth/rbac/defaults.ts';
export { RegistryRbac, type RegistryRbacOptions, readPolicy } from './auth/rbac/registry-source.ts';
export { RegistryTokens } from './auth/registry-tokens.ts';
export {
  createToken,
  type NewToken,
  revokeToken,
  stateOfToken,
  type TokenInput,
  type TokenRecord,
  type TokenState,
  type TokenStore,
} from './auth/tokens.ts';
export type { Limits } from './http/limits.ts';
export { ApiServer, type ApiServerOptions, type ListenAddress } from './http/server.ts';
export { type Serving, type ServingOptions, startServing } from './http/serving.ts';
export { ConfigMap, Namespace, Secret } from './kinds/core.ts';
export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './kinds/rbac.ts';
export { serverKinds } from './kinds/server-kinds.ts';
export { Token } from './kinds/token.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { Authority, generateAuthority } from './tls/authority.ts';
export { Certificates } from './tls/certificates.ts';
export { type KeyPair, parseKeyPair } from './tls/key-pair.ts';
export { type KubeconfigOptions, kubeconfigFor } from './tls/kubeconfig.ts';
export { type Validity, validityOf } from './tls/read.ts';
export type { Target } from './verbs/call.ts';
