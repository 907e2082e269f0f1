/**
 * The content of kubeconfig files: only the fields that are used, all others are kept. Error messages name the file, the
 * line or the field, and never contain a value: it could be a token.
 */
import { ApiError, type Shaped, shape } from '@ecsm/runtime';

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

/** Throws `Malformed` for a text that is not YAML, and `BadRequest` for a field of a wrong type. */
export async function parseKubeconfig(source: string, path: string): Promise<KubeconfigFile> {
  // The library is loaded only by programs that have a kubeconfig.
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  // Pretty errors would quote the line, and a line can hold a token.
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error) {
    const { line, col: column } = lines.linePos(error.pos[0]);
    throw new ApiError('Malformed', {
      position: { file: path, line, column },
      reason: `not valid YAML: ${error.code}`,
    });
  }
  const content: unknown = toPlain(document, path) ?? {};
  if (!isKubeconfig(content)) {
    const problem = shape.complaint(fileShape, content, 'the kubeconfig');
    throw new ApiError('BadRequest', { reason: `${path}: ${problem}` });
  }
  return content;
}

function isKubeconfig(value: unknown): value is KubeconfigFile {
  return fileShape.check(value) === undefined;
}

function toPlain(document: { toJS(options: { maxAliasCount: number }): unknown }, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new ApiError('BadRequest', { reason: `${path}: an alias refers to no anchor, or there are too many` }, cause);
  }
}
