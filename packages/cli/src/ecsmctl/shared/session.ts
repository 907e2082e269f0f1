/**
 * A registry that is open for one command: found by flag, environment or config file, and closed when the command
 * ends or fails. Heavy, so only files of commands that need a registry import this.
 */

import {
  type Call,
  Failure,
  plural,
  readSettings,
  type Settings,
  type Terminal,
  UsageError,
  visible,
} from '@ecsm/command-line';
import { operatorKinds } from '@ecsm/operator/kinds';
import {
  defaultStoreUrl,
  incompleteTransfer,
  isApiError,
  KindSet,
  type Log,
  openRegistry,
  parseStoreUrl,
  type Registry,
  readManifests,
  redact,
  type Store,
  type StoreProblem,
  withoutPassword,
} from '@ecsm/runtime';
import { globalFlags } from './flags.ts';

export interface Session {
  readonly registry: Registry;
  /** The store of the registry, for commands that copy or check a whole registry. Throws if a server holds it. */
  readonly store: () => Store;
  readonly kinds: KindSet;
  readonly namespace: string;
  /** `--namespace`, `ECSM_NAMESPACE` or the position in the config file; undefined for the default. */
  readonly namespaceFrom: string | undefined;
  /** Whether `-A` is set. */
  readonly isAllNamespaces: boolean;
  /** For messages: without a password. */
  readonly url: string;
  /** A line on the error output. */
  readonly warn: (text: string) => void;
}

export interface SessionOptions {
  /** Creates the registry if it does not exist. Default false. */
  readonly create?: boolean;
  /** Default: the kinds of the operator. */
  readonly kinds?: KindSet;
}

/** The kinds that ecsmctl knows, for commands that need no registry. */
export const knownKinds = new KindSet(operatorKinds);

const problemsShownMax = 10;

export function settingsOf(call: Call): Promise<Settings> {
  const config = { fileFlag: 'config', fileNames: ['.ecsmctl.yaml'], readDocuments: readManifests };
  return readSettings(call, globalFlags, config);
}

/** Opens the registry, runs the work, and closes the registry. */
export async function withSession<T>(
  call: Call,
  work: (session: Session) => Promise<T>,
  { create = false, kinds: opened = knownKinds }: SessionOptions = {},
): Promise<T> {
  const { terminal } = call;
  const settings = await settingsOf(call);
  const { namespace, namespaceFrom } = namespaceOf(settings);
  const secretUrl = urlOf(settings, terminal);
  const url = withoutPassword(secretUrl);
  if (!create) await requireRegistry(secretUrl, url, terminal);
  terminal.detail(`opening the registry ${url}`);
  // Reads can be abandoned; writes must be awaited.
  const abandonSignal = create ? undefined : terminal.signal;
  const registry = await unlessAborted(
    abandonSignal,
    open(secretUrl, opened, terminal, settings.get('kubeconfig')),
    (late) => late.close(),
  );
  try {
    const warn = (text: string) => terminal.err.write(`warning: ${visible(text)}\n`);
    await warnAboutProblems(registry, url, warn);
    const isAllNamespaces = call.origin('all-namespaces') !== undefined && call.flag('all-namespaces') === 'true';
    const { kinds } = registry;
    const session = {
      registry,
      store: () => storageOf(registry, url),
      kinds,
      namespace,
      namespaceFrom,
      isAllNamespaces,
      url,
      warn,
    };
    return await unlessAborted(abandonSignal, work(session));
  } finally {
    await registry.close();
  }
}

/** A registry behind an API server: `kubernetes:`, `kubernetes:CONTEXT` or `https://HOST:PORT`. */
function isServerUrl(url: string): boolean {
  return /^(kubernetes:|https:\/\/)/.test(url);
}

/** Where the kubeconfig is. */
export function kubeconfigSource({ env, files }: Terminal, kubeconfig: string | undefined) {
  return { env: { ...env, HOME: files.home }, ...(kubeconfig === undefined ? {} : { kubeconfig }) };
}

async function open(url: string, kinds: KindSet, terminal: Terminal, kubeconfig?: string): Promise<Registry> {
  const { clock, env } = terminal;
  const options = { kinds, clock, log: logOf(terminal) };
  if (!isServerUrl(url)) return openRegistry(url, options);
  const { openKubernetesRegistry } = await import('@ecsm/kubernetes');
  const { ECSM_TOKEN_FILE: tokenFile, ECSM_CERTIFICATE_AUTHORITY: certificateAuthority } = env;
  return openKubernetesRegistry(url, {
    ...options,
    ...kubeconfigSource(terminal, kubeconfig),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  });
}

/** Throws a `Failure` for a registry that gives no access to its store. */
export function storageOf({ capabilities: { storage } }: Registry, url: string): Store {
  if (storage) return storage;
  throw new Failure(`${url} is served by an API server: run this command where the server has its store`);
}

/** For commands that need no registry: the kinds, and the default namespace of objects. */
export async function withoutRegistry(call: Call): Promise<Pick<Session, 'kinds' | 'namespace' | 'namespaceFrom'>> {
  return { kinds: knownKinds, ...namespaceOf(await settingsOf(call)) };
}

/** The URL of the registry, which may contain a password. */
export async function registryUrl(call: Call): Promise<string> {
  return urlOf(await settingsOf(call), call.terminal);
}

const namespaceForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function namespaceOf(settings: Settings): Pick<Session, 'namespace' | 'namespaceFrom'> {
  const namespace = settings.get('namespace') ?? 'default';
  const namespaceFrom = settings.origin('namespace');
  if (!namespaceForm.test(namespace)) {
    throw new UsageError(
      `${namespaceFrom ?? '--namespace'}: "${namespace}" is not a valid namespace: use a-z, 0-9 and "-", at most 63 characters`,
    );
  }
  return { namespace, namespaceFrom };
}

/** `--context` and `--kubeconfig` select an API server. Throws `UsageError` if `--registry` selects something else. */
function serverUrlOf(settings: Settings): string | undefined {
  const [context, kubeconfig] = [settings.get('context'), settings.get('kubeconfig')];
  if (context === undefined && kubeconfig === undefined) return undefined;
  const flag = settings.origin('registry') === '--registry' ? settings.get('registry') : undefined;
  const url = `kubernetes:${context ?? ''}`;
  if (flag === undefined || flag === url) return url;
  if (flag.startsWith('kubernetes:') && context === undefined) return flag;
  throw new UsageError(
    `${context === undefined ? '--kubeconfig' : '--context'} cannot be used with --registry ${flag}`,
  );
}

function urlOf(settings: Settings, { env, files }: Terminal): string {
  const from = settings.origin('registry');
  try {
    const configured = serverUrlOf(settings) ?? settings.get('registry');
    const url = configured ?? defaultStoreUrl({ HOME: files.home, ECSM_HOME: env['ECSM_HOME'] });
    if (!isServerUrl(url)) parseStoreUrl(url);
    return url;
  } catch (error) {
    if (!isApiError(error)) throw error;
    throw new UsageError(from === undefined ? error.message : `${from}: ${error.message}`);
  }
}

/** Opening a registry in a directory creates it, which read-only commands must not do. */
async function requireRegistry(secretUrl: string, url: string, terminal: Terminal): Promise<void> {
  if (await isRegistryThere(secretUrl, terminal)) return;
  throw new Failure(`there is no registry at ${url} yet: "ecsmctl apply" creates one`);
}

/** Whether the registry exists. Always true for remote registries. */
export async function isRegistryThere(secretUrl: string, { files }: Pick<Terminal, 'files'>): Promise<boolean> {
  if (isServerUrl(secretUrl)) return true;
  const place = parseStoreUrl(secretUrl);
  if (place.scheme !== 'sqlite' && place.scheme !== 'file') return true;
  const found = await files.list(place.directory);
  // Users may put files into the directory of a file registry before it is opened, so the directory is enough.
  if (place.scheme === 'file') return found !== undefined;
  return (found ?? []).some((path) => /(^|[\\/])registry\.db$/.test(path));
}

async function warnAboutProblems(registry: Registry, url: string, warn: Session['warn']): Promise<void> {
  const { storage } = registry.capabilities;
  const transfer = storage && (await incompleteTransfer(storage));
  if (transfer !== undefined) {
    const { transfer: what, source, started } = transfer;
    warn(
      `the registry ${url} is incomplete: a ${what === 'unknown' ? 'transfer' : what} of ${source}, started ${started}, did not finish; repeat it, or clear the registry`,
    );
  }
  const problems = storage?.problems?.() ?? [];
  for (const problem of problems.slice(0, problemsShownMax)) warn(problemText(problem));
  if (problems.length > problemsShownMax) warn(`and ${plural(problems.length - problemsShownMax, 'more file')}`);
}

/** Some reasons already start with the file and line. */
export function problemText({ file, reason }: StoreProblem): string {
  return reason.startsWith(`${file}:`) ? reason : `${file}: ${reason}`;
}

function logOf({ detail }: Terminal): Log {
  return {
    write: (level, message, fields = {}) => detail(visible(`${level}: ${message} ${JSON.stringify(redact(fields))}`)),
  };
}

/** Rejects when the signal aborts. The abandoned work continues, and its result is passed to `late`. */
async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  late: (result: T) => Promise<void> = async () => {},
): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    if (signal.aborted) work.then(late).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
