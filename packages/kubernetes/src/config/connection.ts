/** How to reach an API server: resolved from a context of a kubeconfig, a service account, or a plain address. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ApiError, type Clock, NAMESPACE_DEFAULT } from '@ecsm/runtime';
import { bearer, type Credential, type Credentials, fixedCredentials, tokenFileCredentials } from './credentials.ts';
import { execCredentials } from './exec.ts';
import type { ClusterFields, UserFields } from './kubeconfig.ts';
import { type Entry, entryOf, type Kubeconfig, unreadable } from './load.ts';

export interface Connection {
  /** Without a slash at the end: `https://10.0.0.1:6443`. */
  readonly server: string;
  /** For messages: `context "site-7"`. */
  readonly name: string;
  /** The namespace that the user works in. */
  readonly namespace: string;
  readonly trust: Trust;
  readonly credentials: Credentials;
}

/** How the server's certificate is verified. */
export interface Trust {
  /** In PEM. Default: the well-known authorities of Node.js. */
  readonly ca?: string;
  /** The name in the server's certificate. Default: the host of the address. */
  readonly serverName?: string;
  /** Accept any certificate. */
  readonly isInsecure: boolean;
}

interface ResolveOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the current context. */
  readonly context?: string;
}

/** Throws `BadRequest` that says what is missing or wrong. */
export async function resolveContext(config: Kubeconfig, options: ResolveOptions): Promise<Connection> {
  const name = options.context ?? config.currentContext;
  if (name === undefined) throw bad(`there is no current context in ${config.files.join(', ') || 'any kubeconfig'}`);
  const context = entryOf(config, config.contexts, 'context', name);
  if (!context.fields.cluster) throw bad(`context "${name}" in ${context.file} has no cluster`);
  const cluster = entryOf(config, config.clusters, 'cluster', context.fields.cluster);
  const user = context.fields.user ? entryOf(config, config.users, 'user', context.fields.user) : undefined;
  const server = checkServer(cluster.fields.server ?? '', `cluster "${cluster.name}" in ${cluster.file}`);
  const trust = await trustOf(cluster);
  return {
    server,
    name: `context "${name}"`,
    namespace: context.fields.namespace || NAMESPACE_DEFAULT,
    trust,
    credentials: user ? await credentialsOf(user, cluster.fields, server, options) : fixedCredentials({ headers: {} }),
  };
}

/** Throws `BadRequest` unless it is an http or https URL without user, password, query or fragment. */
export function checkServer(server: string, source: string): string {
  // kubectl accepts an address without a scheme.
  const text = /^[a-z]+:\/\//i.test(server) || server === '' ? server : `https://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw bad(`${source}: the server has to be a URL of the form https://host:6443`);
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

async function trustOf({ name, fields, directory, file }: Entry<ClusterFields>): Promise<Trust> {
  const source = `cluster "${name}" in ${file}`;
  if (fields['proxy-url']) throw bad(`${source}: proxy-url is not supported`);
  const ca = await pem(fields, 'certificate-authority', directory, source);
  const isInsecure = fields['insecure-skip-tls-verify'] === true;
  if (isInsecure && ca !== undefined) {
    throw bad(`${source}: insecure-skip-tls-verify and a certificate authority exclude each other`);
  }
  const serverName = fields['tls-server-name'];
  return { isInsecure, ...(ca === undefined ? {} : { ca }), ...(serverName ? { serverName } : {}) };
}

async function credentialsOf(
  { name, fields, directory, file }: Entry<UserFields>,
  cluster: ClusterFields,
  server: string,
  { clock, env }: ResolveOptions,
): Promise<Credentials> {
  const source = `user "${name}" in ${file}`;
  const provider = fields['auth-provider'];
  if (provider) throw bad(`${source}: auth-provider is not supported any more; use an exec plugin`);
  const cert = await pem(fields, 'client-certificate', directory, source);
  const key = await pem(fields, 'client-key', directory, source);
  if ((cert === undefined) !== (key === undefined))
    throw bad(`${source}: client-certificate and client-key go together`);
  const certificate = cert === undefined || key === undefined ? undefined : { cert, key };
  const headers = impersonation(fields, source);
  const credential: Credential = { headers, ...(certificate && { certificate }) };
  const { token, tokenFile, username, password, exec } = fields;
  if (username && (token || tokenFile)) throw bad(`${source}: a token and a username exclude each other`);
  if (tokenFile) {
    const path = resolve(directory, tokenFile);
    return tokenFileCredentials({ path, clock, credential, ...(token ? { fallback: token } : {}) });
  }
  if (token) return fixedCredentials({ ...credential, headers: { ...headers, ...bearer(token, source) } });
  if (username) {
    const authorization = `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
    return fixedCredentials({ ...credential, headers: { ...headers, authorization } });
  }
  if (!exec) return fixedCredentials(credential);
  if (certificate) throw bad(`${source}: an exec plugin and a client certificate exclude each other`);
  const info = { ...cluster, server };
  return execCredentials({ fields: exec, directory, source, cluster: clusterInfo(info), env, clock, headers });
}

/** The cluster as exec plugins expect it. */
function clusterInfo(cluster: ClusterFields): Readonly<Record<string, unknown>> {
  return {
    server: cluster.server,
    ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    ...(cluster['certificate-authority-data'] && {
      'certificate-authority-data': cluster['certificate-authority-data'],
    }),
  };
}

function impersonation(fields: UserFields, source: string): Credential['headers'] {
  const headers: Record<string, string | readonly string[]> = {};
  if (fields.as) headers['impersonate-user'] = fields.as;
  if (fields['as-uid']) headers['impersonate-uid'] = fields['as-uid'];
  if (fields['as-groups']?.length) headers['impersonate-group'] = fields['as-groups'];
  for (const [key, values] of Object.entries(fields['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = values;
  }
  for (const value of Object.values(headers).flat()) {
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw bad(`${source}: the user to act as has invalid characters`);
  }
  if (Object.keys(headers).length > 0 && !fields.as) throw bad(`${source}: as-uid, as-groups and extra need "as"`);
  return headers;
}

type PemField = 'certificate-authority' | 'client-certificate' | 'client-key';
type PemFields = { readonly [Field in PemField | `${PemField}-data`]?: string | null };

/** The content of `NAME-data`, or of the file `NAME`. Undefined if there is neither. */
async function pem(fields: PemFields, field: PemField, directory: string, source: string): Promise<string | undefined> {
  const data = fields[`${field}-data`];
  const path = fields[field];
  if (!data && !path) return undefined;
  const content = data ? Buffer.from(data, 'base64').toString() : await readPem(resolve(directory, path ?? ''), field);
  if (!content.includes('-----BEGIN ')) throw bad(`${source}: ${data ? `${field}-data` : field} is not in PEM format`);
  return content;
}

export async function readPem(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadable(`the ${what} file`, path, error);
  }
}

function bad(reason: string): ApiError {
  return new ApiError('BadRequest', { reason });
}
