import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clusterNames, HostsFile } from './hosts.ts';

const directory = mkdtempSync(join(tmpdir(), 'process-node-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('a hosts file changes its content, but neither its inode nor its length downwards', () => {
  const path = join(directory, 'hosts');
  const hosts = new HostsFile(path);
  const { ino } = statSync(path);
  hosts.write([
    { address: '127.1.2.3', names: clusterNames('main-0.main-peer.default') },
    { address: '127.1.2.4', names: ['b'] },
  ]);
  const first = readFileSync(path, 'utf8');
  expect(first).toBe(
    '127.0.0.1 localhost\n' +
      '127.1.2.3 main-0.main-peer.default.svc.cluster.local main-0.main-peer.default.svc main-0.main-peer.default\n' +
      '127.1.2.4 b\n',
  );
  hosts.write([{ address: '127.1.2.4', names: ['b'] }]);
  const second = readFileSync(path, 'utf8');
  expect(second.trim()).toBe('127.0.0.1 localhost\n127.1.2.4 b');
  expect(second).toHaveLength(first.length);
  expect(statSync(path).ino).toBe(ino);
});
