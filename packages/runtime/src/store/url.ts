/**
 * Registries are named by a URL:
 *
 *     sqlite:<directory>                                      the embedded default
 *     file:<directory>                                        one readable file an object
 *     etcd://[user:password@]host[:port][,host[:port]]/prefix a cluster; etcds:// for TLS
 *     memory:                                                 gone with the process
 */
import { join } from 'node:path';
import { ApiError } from '../api/errors.ts';

export type StoreUrl =
  | { readonly scheme: 'memory' }
  | { readonly scheme: 'sqlite' | 'file'; readonly directory: string }
  | {
      readonly scheme: 'etcd';
      readonly endpoints: readonly string[];
      readonly prefix: string;
      readonly username?: string;
      readonly password?: string;
    };

const etcdPort = 2379;
const forms = 'sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:';

/** Throws `BadRequest`, with the password left out of the message. */
export function parseStoreUrl(url: string): StoreUrl {
  const colon = url.indexOf(':');
  const scheme = url.slice(0, Math.max(colon, 0));
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case 'memory':
      return rest === '' ? { scheme } : wrong(url, 'memory: takes nothing behind the colon');
    case 'sqlite':
    case 'file':
      return { scheme, directory: directoryOf(url, rest) };
    case 'etcd':
    case 'etcds':
      return parseEtcd(url, scheme === 'etcds' ? 'https' : 'http', rest);
    default:
      return wrong(url, `it has to be ${forms}`);
  }
}

/** What `--registry` is when nobody says. */
export function defaultStoreUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const { ECSM_REGISTRY, ECSM_HOME, HOME } = environment;
  if (ECSM_REGISTRY) return ECSM_REGISTRY;
  const home = ECSM_HOME || (HOME ? join(HOME, '.ecsm') : undefined);
  if (home === undefined) {
    throw new ApiError('BadRequest', {
      reason: 'no registry is named, and there is no HOME to put one: set ECSM_REGISTRY',
    });
  }
  return `sqlite:${join(home, 'registry')}`;
}

/** A URL that may be shown to people. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/([^/@]*?):[^/]*@/, '//$1:…@');
}

function directoryOf(url: string, rest: string): string {
  // `file:///var/lib/x`, as browsers write it, is meant as /var/lib/x.
  const directory = rest.startsWith('///') ? rest.slice(2) : rest;
  if (directory === '' || directory.startsWith('//')) wrong(url, 'it names no directory');
  if (directory.includes('\0')) wrong(url, 'a directory cannot have a NUL in its name');
  return directory;
}

function parseEtcd(url: string, protocol: 'http' | 'https', rest: string): StoreUrl {
  const match = /^\/\/(?:([^/@:]+)(?::([^/]*))?@)?([^/@]+)\/(.+)$/.exec(rest);
  if (!match) return wrong(url, 'it has to be etcd://host:2379[,host:2379]/prefix');
  const [, username, password, hosts = '', prefix = ''] = match;
  const endpoints = hosts
    .split(',')
    .map((host) => `${protocol}://${/:[0-9]+$/.test(host) ? host : `${host}:${etcdPort}`}`);
  if (hosts.split(',').includes('')) wrong(url, 'one of its hosts is empty');
  return {
    scheme: 'etcd',
    endpoints,
    prefix,
    ...(username === undefined ? {} : { username: decode(url, username) }),
    ...(password === undefined ? {} : { password: decode(url, password) }),
  };
}

function decode(url: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return wrong(url, 'its user or password is not percent-encoded as it should be');
  }
}

function wrong(url: string, reason: string): never {
  throw new ApiError('BadRequest', { reason: `registry URL "${withoutPassword(url)}": ${reason}` });
}
