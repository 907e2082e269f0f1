import { describe, expect, it } from 'vitest';
import { rewriter } from './rewrite.ts';

const rewrite = rewriter(
  [
    { mountPath: '/var/lib/etcd/', target: '/host/data' },
    { mountPath: '/etc/etcd', target: '/host/etc' },
    { mountPath: '/etc/etcd/tls', target: '/host/tls' },
  ],
  '127.9.0.2',
);

describe('a rewrite', () => {
  it('replaces a mount path and the paths in it', () => {
    expect(rewrite('data-dir: /var/lib/etcd/data')).toBe('data-dir: /host/data/data');
    expect(rewrite('--data-dir=/var/lib/etcd')).toBe('--data-dir=/host/data');
    expect(rewrite('"/var/lib/etcd/"')).toBe('"/host/data/"');
  });

  it('prefers the innermost mount', () => {
    expect(rewrite('/etc/etcd/tls/ca.crt,/etc/etcd/config.yaml')).toBe('/host/tls/ca.crt,/host/etc/config.yaml');
  });

  it('leaves other paths that contain a mount path', () => {
    for (const path of ['/var/lib/etcd2', '/var/lib/etcd.bak', '/mnt/var/lib/etcd', 'a/etc/etcd'])
      expect(rewrite(path)).toBe(path);
  });

  it('replaces the addresses of all interfaces by the address of the pod', () => {
    expect(rewrite('http://0.0.0.0:2379,https://[::]:2380')).toBe('http://127.9.0.2:2379,https://127.9.0.2:2380');
    expect(rewrite('10.0.0.0.0 127.0.0.1')).toBe('10.0.0.0.0 127.0.0.1');
  });

  it('of a pod without mounts replaces addresses only', () => {
    expect(rewriter([], '127.9.0.3')('--listen 0.0.0.0:1 /var/lib/etcd')).toBe('--listen 127.9.0.3:1 /var/lib/etcd');
  });
});
