/**
 * Registries are named by a URL:
 *
 *     sqlite:<directory>                                      the embedded default
 *     file:<directory>                                        one readable file per object
 *     etcd://[user:password@]host[:port][,host[:port]]/prefix a cluster; etcds:// for TLS
 *     memory:                                                 not persistent
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

/** Throws `BadRequest`, without the password in the message. */
export function parseStoreUrl(url: string): StoreUrl {
  const colon = url.indexOf(':');
  const scheme = url.slice(0, Math.max(colon, 0));
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case 'memory':
      return rest === '' ? { scheme } : invalid(url, 'memory: takes no path');
    case 'sqlite':
    case 'file':
      return { scheme, directory: directoryOf(url, rest) };
    case 'etcd':
    case 'etcds':
      return parseEtcd(url, scheme === 'etcds' ? 'https' : 'http', rest);
    default:
      return invalid(url, `it has to be ${forms}`);
  }
}

/** The default of `--registry`. */
export function defaultStoreUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const { ECSM_REGISTRY } = environment;
  if (ECSM_REGISTRY) return ECSM_REGISTRY;
  const home = ecsmHome(environment);
  if (home === undefined) {
    throw new ApiError('BadRequest', {
      reason: 'no registry is set, and there is no HOME for the default one: set ECSM_REGISTRY',
    });
  }
  return `sqlite:${join(home, 'registry')}`;
}

/** The directory for the files of all programs: `ECSM_HOME`, or `.ecsm` in the home directory. Undefined without one. */
export function ecsmHome({ ECSM_HOME, HOME }: Readonly<Record<string, string | undefined>>): string | undefined {
  return ECSM_HOME || (HOME ? join(HOME, '.ecsm') : undefined);
}

/** The URL for messages. A password is hidden also if it or its user has a slash or an `@` that is not encoded. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/(.*?):.*@/s, '//$1:…@');
}

function directoryOf(url: string, rest: string): string {
  // `file:///var/lib/x`, as browsers write it, means /var/lib/x.
  const directory = rest.startsWith('///') ? rest.slice(2) : rest;
  if (directory === '' || directory.startsWith('//')) invalid(url, 'it has no directory');
  if (directory.includes('\0')) invalid(url, 'a directory cannot have a NUL in its name');
  return directory;
}

function parseEtcd(url: string, protocol: 'http' | 'https', rest: string): StoreUrl {
  const match = /^\/\/(?:([^/@:]+)(?::([^/]*))?@)?([^/@]+)\/(.+)$/.exec(rest);
  if (!match) return invalid(url, 'it has to be etcd://host:2379[,host:2379]/prefix');
  const [, username, password, hosts = '', prefix = ''] = match;
  // What looks like a host and a prefix is part of the password.
  if (prefix.includes('@')) invalid(url, 'a slash in its user or password has to be written as %2F');
  const endpoints = hosts
    .split(',')
    .map((host) => `${protocol}://${/:[0-9]+$/.test(host) ? host : `${host}:${etcdPort}`}`);
  if (hosts.split(',').includes('')) invalid(url, 'one of its hosts is empty');
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
    return invalid(url, 'its user or password is not correctly percent-encoded');
  }
}

function invalid(url: string, reason: string): never {
  throw new ApiError('BadRequest', { reason: `registry URL "${withoutPassword(url)}": ${reason}` });
}
