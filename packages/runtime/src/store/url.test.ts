import { describe, expect, it } from 'vitest';
import { defaultStoreUrl, parseStoreUrl, withoutPassword } from './url.ts';

describe('a registry URL', () => {
  it.each([
    ['memory:', { scheme: 'memory' }],
    ['sqlite:/var/lib/ecsm', { scheme: 'sqlite', directory: '/var/lib/ecsm' }],
    ['sqlite:relative/place', { scheme: 'sqlite', directory: 'relative/place' }],
    ['file:/srv/registry', { scheme: 'file', directory: '/srv/registry' }],
    ['file:///srv/registry', { scheme: 'file', directory: '/srv/registry' }],
    ['etcd://a:2379/ecsm', { scheme: 'etcd', endpoints: ['http://a:2379'], prefix: 'ecsm' }],
    [
      'etcd://a,b:4001,10.0.0.1/x/y',
      { scheme: 'etcd', endpoints: ['http://a:2379', 'http://b:4001', 'http://10.0.0.1:2379'], prefix: 'x/y' },
    ],
    ['etcd://[::1]:2379/p', { scheme: 'etcd', endpoints: ['http://[::1]:2379'], prefix: 'p' }],
    [
      'etcds://root:p%40ss@a/p',
      { scheme: 'etcd', endpoints: ['https://a:2379'], prefix: 'p', username: 'root', password: 'p@ss' },
    ],
  ])('%s is parsed', (url, expected) => {
    expect(parseStoreUrl(url)).toEqual(expected);
  });

  it.each([
    ['', 'it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:'],
    ['/var/lib/ecsm', 'it has to be sqlite:<directory>'],
    ['lmdb:/x', 'it has to be sqlite:<directory>'],
    ['sqlite:', 'it has no directory'],
    ['file://host/x', 'it has no directory'],
    ['sqlite:a\0b', 'NUL'],
    ['memory:x', 'takes no path'],
    ['etcd://a:2379', 'etcd://host:2379[,host:2379]/prefix'],
    ['etcd://a:2379/', 'etcd://host:2379[,host:2379]/prefix'],
    ['etcd:a/b', 'etcd://host:2379[,host:2379]/prefix'],
    ['etcd://a,,b/p', 'one of its hosts is empty'],
    ['etcd://u:%zz@a/p', 'percent-encoded'],
  ])('%j is refused with a reason', (url, reason) => {
    expect(() => parseStoreUrl(url)).toThrow(reason);
  });

  it('never shows its password', () => {
    expect(withoutPassword('etcd://root:secret@a/p')).toBe('etcd://root:…@a/p');
    expect(() => parseStoreUrl('etcd://root:se%zzcret@a/p')).toThrow('"etcd://root:…@a/p"');
    expect(() => parseStoreUrl('etcd://root:se/cr@et@a/p')).toThrow('"etcd://root:…@a/p": a slash');
    expect(() => parseStoreUrl('etcd://root:12/secret@a/p')).toThrow('"etcd://root:…@a/p": a slash');
    expect(() => parseStoreUrl('etcd://ops/root:secret@a/p')).toThrow('"etcd://ops/root:…@a/p": a slash');
    expect(() => parseStoreUrl('etcd://ro@ot:secret@a/p')).toThrow('"etcd://ro@ot:…@a/p"');
  });

  it('defaults to sqlite in the home directory', () => {
    expect(defaultStoreUrl({ HOME: '/home/me' })).toBe('sqlite:/home/me/.ecsm/registry');
    expect(defaultStoreUrl({ HOME: '/home/me', ECSM_HOME: '/data' })).toBe('sqlite:/data/registry');
    expect(defaultStoreUrl({ ECSM_REGISTRY: 'memory:', ECSM_HOME: '/data' })).toBe('memory:');
    expect(() => defaultStoreUrl({})).toThrow('set ECSM_REGISTRY');
  });
});
