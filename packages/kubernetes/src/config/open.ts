/**
 * From a registry URL to a connection: `kubernetes:` (current context, or the service account of the pod),
 * `kubernetes:CONTEXT`, and `https://host:6443`.
 */
import { join, resolve } from 'node:path';
import { ApiError, type Clock, NAMESPACE_DEFAULT } from '@ecsm/runtime';
import { type Connection, checkServer, readPem, resolveContext } from './connection.ts';
import { fixedCredentials, tokenFileCredentials } from './credentials.ts';
import { type KubeconfigSource, loadKubeconfig } from './load.ts';

export interface ConnectOptions extends KubeconfigSource {
  readonly clock: Clock;
  /** For `https:` URLs: a file with a bearer token, read again when it changes. */
  readonly tokenFile?: string;
  /** For `https:` URLs: a file with the authorities to trust. Default: the well-known ones. */
  readonly certificateAuthority?: string;
  /** The directory of service account files. Default: where Kubernetes mounts them. */
  readonly serviceAccount?: string;
}

const scheme = 'kubernetes:';
const mountedServiceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

export function isKubernetesUrl(url: string): boolean {
  return url.startsWith(scheme) || url.startsWith('https://');
}

/** Throws `BadRequest` that says what is missing or wrong. */
export async function connectionOf(url: string, options: ConnectOptions): Promise<Connection> {
  if (url.startsWith('https://')) return plainConnection(url, options);
  if (!url.startsWith(scheme)) {
    throw bad(`"${url.slice(0, 100)}" is not kubernetes:, kubernetes:CONTEXT or https://host:6443`);
  }
  if (options.tokenFile !== undefined || options.certificateAuthority !== undefined) {
    throw bad('a token file and a certificate authority can be given only with an https:// URL');
  }
  const context = url.slice(scheme.length);
  const config = await loadKubeconfig(options);
  if (context !== '') return resolveContext(config, { ...options, context });
  if (config.files.length > 0) return resolveContext(config, options);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.env;
  if (host && port) return inClusterConnection(host, port, options);
  throw bad('there is no kubeconfig: set KUBECONFIG, create ~/.kube/config, or run in a pod of Kubernetes');
}

async function plainConnection(url: string, options: ConnectOptions): Promise<Connection> {
  const server = checkServer(url, 'the registry URL');
  const { tokenFile, certificateAuthority, clock } = options;
  const ca =
    certificateAuthority === undefined ? {} : { ca: await readPem(certificateAuthority, 'certificate-authority') };
  return {
    server,
    name: server,
    namespace: NAMESPACE_DEFAULT,
    trust: { isInsecure: false, ...ca },
    credentials:
      tokenFile === undefined
        ? fixedCredentials({ headers: {} })
        : tokenFileCredentials({ path: resolve(tokenFile), clock, credential: { headers: {} } }),
  };
}

/** The service account of the pod that this program runs in. */
async function inClusterConnection(host: string, port: string, options: ConnectOptions): Promise<Connection> {
  const { clock, serviceAccount = mountedServiceAccount } = options;
  const ca = await readPem(join(serviceAccount, 'ca.crt'), 'certificate authority');
  const namespace = await readPem(join(serviceAccount, 'namespace'), 'namespace').catch(() => '');
  return {
    server: checkServer(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, 'KUBERNETES_SERVICE_HOST'),
    name: 'the service account of this pod',
    namespace: namespace.trim() || NAMESPACE_DEFAULT,
    trust: { isInsecure: false, ca },
    credentials: tokenFileCredentials({ path: join(serviceAccount, 'token'), clock, credential: { headers: {} } }),
  };
}

function bad(reason: string): ApiError {
  return new ApiError('BadRequest', { reason });
}
