/**
 * A registry that is open for one command: found by flag, environment or config file, and closed when the command
 * ends or fails. Heavy, so only files of commands that need a registry import this.
 */

import { type Call, Failure, plural, type Settings, type Terminal, UsageError, visible } from '@ecsm/command-line';
import { operatorKinds } from '@ecsm/operator/kinds';
import {
  incompleteTransfer,
  KindSet,
  type Log,
  openRegistry,
  type Registry,
  redact,
  type Store,
  type StoreProblem,
} from '@ecsm/runtime';
import { isServerUrl, kubeconfigSource, locateRegistry, type RegistryLocation, settingsOf } from './location.ts';

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

interface SessionOptions {
  /** What happens if the registry does not exist. `memory`: an empty one in memory replaces it. Default `fail`. */
  readonly missing?: 'fail' | 'create' | 'memory';
  /** Whether the command changes objects. It then names a registry that only `KUBECONFIG` selects. Default false. */
  readonly writes?: boolean;
  /** Default: the kinds of the operator. */
  readonly kinds?: KindSet;
}

/** The kinds that ecsmctl knows, for commands that need no registry. */
export const knownKinds = new KindSet(operatorKinds);

const problemsShownMax = 10;

/** Opens the registry, runs the work, and closes the registry. */
export async function withSession<T>(
  call: Call,
  work: (session: Session) => Promise<T>,
  { missing = 'fail', writes = missing === 'create', kinds: opened = knownKinds }: SessionOptions = {},
): Promise<T> {
  const { terminal } = call;
  const settings = await settingsOf(call);
  const { namespace, namespaceFrom } = namespaceOf(settings);
  const location = await locateRegistry(call, settings);
  const { isThere, context } = location;
  if (!isThere && missing === 'fail') throw noRegistry(location);
  const { secretUrl, url } = isThere || missing === 'create' ? location : inMemory;
  terminal.detail(`opening the registry ${url}`);
  // Reads can be abandoned; writes must be awaited.
  const abandonSignal = missing === 'create' ? undefined : terminal.signal;
  const registry = await unlessAborted(
    abandonSignal,
    open(secretUrl, opened, terminal, settings.get('kubeconfig')),
    (late) => late.close(),
  );
  try {
    if (context !== undefined && writes) terminal.err.write(`using ${context} of KUBECONFIG\n`);
    if (!isThere && missing === 'create') terminal.err.write(`${createdText(location)}\n`);
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

const inMemory = { secretUrl: 'memory:', url: 'memory:' };

/** Opening a registry in a directory creates it, which read-only commands must not do. */
function noRegistry({ url, refusal }: RegistryLocation): Error {
  if (refusal === undefined) return new Failure(`there is no registry at ${url} yet: "ecsmctl apply" creates one`);
  return new UsageError(
    `there is no registry: ${refusal}, and there is none at ${url}: name a registry with --registry, --context or ECSM_REGISTRY, or create that one with "ecsmctl apply"`,
  );
}

function createdText({ url, refusal }: RegistryLocation): string {
  return `created the registry ${url}${refusal === undefined ? '' : `: ${refusal}`}`;
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
