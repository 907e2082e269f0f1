/**
 * The content of kubeconfig files: only the fields that are used, all others are kept. Error messages name the file, the
 * line or the field, and never contain a value: it could be a token.
 */
import { ApiError, isApiError, readManifests, type Shaped, shape } from '@ecsm/runtime';

const { boolean, list, nullable, object, optional, record, string } = shape;
const text = optional(nullable(string()));

const clusterShape = object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': optional(nullable(boolean())),
  'tls-server-name': text,
  'proxy-url': text,
});

const execShape = object({
  apiVersion: text,
  command: text,
  args: optional(nullable(list(string()))),
  env: optional(nullable(list(object({ name: string(), value: string() })))),
  provideClusterInfo: optional(nullable(boolean())),
  interactiveMode: text,
  installHint: text,
});

const userShape = object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: optional(nullable(execShape)),
  'auth-provider': optional(nullable(object({ name: text }))),
  as: text,
  'as-uid': text,
  'as-groups': optional(nullable(list(string()))),
  'as-user-extra': optional(nullable(record(list(string())))),
});

const contextShape = object({ cluster: text, user: text, namespace: text });

const fileShape = object({
  'current-context': text,
  clusters: optional(nullable(list(object({ name: string(), cluster: optional(nullable(clusterShape)) })))),
  users: optional(nullable(list(object({ name: string(), user: optional(nullable(userShape)) })))),
  contexts: optional(nullable(list(object({ name: string(), context: optional(nullable(contextShape)) })))),
});

export type KubeconfigFile = Shaped<typeof fileShape>;
export type ClusterFields = Shaped<typeof clusterShape>;
export type UserFields = Shaped<typeof userShape>;
export type ContextFields = Shaped<typeof contextShape>;
export type ExecFields = Shaped<typeof execShape>;

/** Size of a kubeconfig. A cluster with its certificates takes about 5 KB. */
export const kubeconfigBytesMax = 8 * 1024 * 1024;

/**
 * Throws `Malformed` for a text that is not YAML, `TooLarge` beyond the limits of manifests and `kubeconfigBytesMax`, and
 * `BadRequest` for a field of a wrong type.
 */
export async function parseKubeconfig(source: Uint8Array, path: string): Promise<KubeconfigFile> {
  const [content = {}, second] = await documentsOf(source, path);
  if (second !== undefined) throw new ApiError('BadRequest', { reason: `${path}: more than one YAML document` });
  if (!isKubeconfig(content)) {
    const problem = shape.complaint(fileShape, content, 'the kubeconfig');
    throw new ApiError('BadRequest', { reason: `${path}: ${problem}` });
  }
  return content;
}

async function documentsOf(source: Uint8Array, path: string): Promise<unknown[]> {
  const limits = { inputBytesMax: kubeconfigBytesMax, documentBytesMax: kubeconfigBytesMax };
  try {
    return (await readManifests(source, { file: path, limits })).map(({ object }) => object);
  } catch (error) {
    if (!isApiError(error, 'Malformed')) throw error;
    // The reason, and the cause, can quote a token.
    throw new ApiError('Malformed', { position: error.details.position, reason: 'not valid YAML, or not an object' });
  }
}

function isKubeconfig(value: unknown): value is KubeconfigFile {
  return fileShape.check(value) === undefined;
}
