/**
 * Where the registry of a command is: named by a flag, a variable or the config file, else the local one. With `KUBECONFIG`
 * set and no local registry, the server of the current context, if it serves our kinds. `~/.kube/config` is never used
 * unless a flag or setting asks for it.
 */
import { type Call, readSettings, type Settings, type Terminal, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import {
  defaultStoreUrl,
  isApiError,
  parseStoreUrl,
  readManifests,
  silentLog,
  systemRandom,
  withoutPassword,
} from '@ecsm/runtime';
import { globalFlags } from './flags.ts';

export interface RegistryLocation {
  /** May contain a password. */
  readonly secretUrl: string;
  /** For messages. */
  readonly url: string;
  /** Whether the registry exists. Always true for remote registries. */
  readonly isThere: boolean;
  /** The context of `KUBECONFIG`, if that alone selects the registry: `context "site-7" (https://site-7:6443)`. */
  readonly context?: string;
  /** Why that context is not used, if there is no local registry either. */
  readonly refusal?: string;
}

/** Time for the server of `KUBECONFIG` to say which kinds it serves. */
const askMsMax = 5_000;

export function settingsOf(call: Call): Promise<Settings> {
  const config = { fileFlag: 'config', fileNames: ['.ecsmctl.yaml'], readDocuments: readManifests };
  return readSettings(call, globalFlags, config);
}

/** Throws `UsageError` for a URL that is not valid. Asks a server only if `KUBECONFIG` alone can select the registry. */
export async function locateRegistry({ terminal }: Call, settings: Settings): Promise<RegistryLocation> {
  const { secretUrl, isDefault } = urlOf(settings, terminal);
  const isThere = await isRegistryThere(secretUrl, terminal);
  const local = { secretUrl, url: withoutPassword(secretUrl), isThere };
  if (isThere || !isDefault || !terminal.env['KUBECONFIG']) return local;
  const asked = await askCurrentContext(terminal);
  if ('refusal' in asked) return { ...local, refusal: asked.refusal };
  return { secretUrl: 'kubernetes:', url: 'kubernetes:', isThere: true, context: asked.context };
}

/** A registry behind an API server: `kubernetes:`, `kubernetes:CONTEXT` or `https://HOST:PORT`. */
export function isServerUrl(url: string): boolean {
  return /^(kubernetes:|https:\/\/)/.test(url);
}

/** Where the kubeconfig is. */
export function kubeconfigSource({ env, files }: Terminal, kubeconfig: string | undefined) {
  return { env: { ...env, HOME: files.home }, ...(kubeconfig === undefined ? {} : { kubeconfig }) };
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

function urlOf(
  settings: Settings,
  { env, files }: Terminal,
): { readonly secretUrl: string; readonly isDefault: boolean } {
  const from = settings.origin('registry');
  try {
    const configured = serverUrlOf(settings) ?? settings.get('registry');
    const secretUrl = configured ?? defaultStoreUrl({ HOME: files.home, ECSM_HOME: env['ECSM_HOME'] });
    if (!isServerUrl(secretUrl)) parseStoreUrl(secretUrl);
    return { secretUrl, isDefault: configured === undefined };
  } catch (error) {
    if (!isApiError(error)) throw error;
    throw new UsageError(from === undefined ? error.message : `${from}: ${error.message}`);
  }
}

async function isRegistryThere(secretUrl: string, { files }: Terminal): Promise<boolean> {
  if (isServerUrl(secretUrl)) return true;
  const place = parseStoreUrl(secretUrl);
  if (place.scheme !== 'sqlite' && place.scheme !== 'file') return true;
  const found = await files.list(place.directory);
  // Users may put files into the directory of a file registry before it is opened, so the directory is enough.
  if (place.scheme === 'file') return found !== undefined;
  return (found ?? []).some((path) => /(^|[\\/])registry\.db$/.test(path));
}

type Asked = { readonly context: string } | { readonly refusal: string };

async function askCurrentContext(terminal: Terminal): Promise<Asked> {
  const { connectionOf, loadKubeconfig, RestClient } = await import('@ecsm/kubernetes');
  const { clock, env } = terminal;
  const source = kubeconfigSource(terminal, undefined);
  let what = `KUBECONFIG (${env['KUBECONFIG']})`;
  try {
    const { files, currentContext } = await loadKubeconfig(source);
    if (files.length === 0) return { refusal: `${what} names no file that exists` };
    const connection = await connectionOf('kubernetes:', { ...source, clock });
    what = `the current context of KUBECONFIG, "${currentContext}" (${connection.server}),`;
    const options = { connection, clock, random: systemRandom, log: silentLog, timeoutMs: askMsMax };
    const client = new RestClient(options);
    try {
      const path = `/apis/${ECSMService.apiVersion}`;
      await client.request({ method: 'GET', path, signal: terminal.signal });
      return { context: `context "${currentContext}" (${connection.server})` };
    } finally {
      client.close();
    }
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (isApiError(error, 'Rejected')) return { refusal: `${what} does not serve ${ECSMService.apiVersion}` };
    return { refusal: `${what} cannot be used: ${error.message}` };
  }
}
