import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFields } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { AuditLog, type AuditLogOptions, auditLimits } from './log.ts';
import type { AuditRecord } from './record.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function setup(more: Partial<AuditLogOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-audit-'));
  directories.push(directory);
  const path = join(directory, 'audit.log');
  const clock = new VirtualClock();
  const reports: LogFields[] = [];
  const log = { write: (_level: string, _message: string, fields: LogFields = {}) => void reports.push(fields) };
  const audit = new AuditLog({ path, clock, log, ...more });
  const lines = (name = 'audit.log') => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n');
  return { directory, path, clock, reports, audit, lines };
}

const record = (more: Partial<AuditRecord> = {}): AuditRecord => ({
  receivedMs: 1_767_323_045_006,
  durationMs: 12,
  auditId: 'id-1',
  user: { name: 'jane', groups: ['dev', 'system:authenticated'] },
  verb: 'get',
  uri: '/api/v1/namespaces/a/pods/x/log?token=ecsm_secret&limit=5',
  object: { apiGroup: '', apiVersion: 'v1', resource: 'pods', subresource: 'log', namespace: 'a', name: 'x' },
  sourceAddress: '10.0.0.7',
  userAgent: 'kubectl/v1.32.4',
  code: 200,
  ...more,
});

function withoutFullDevice(): boolean {
  if (existsSync('/dev/full')) return false;
  process.stderr.write('audit log on a full disk skipped: there is no /dev/full\n');
  return true;
}

describe('a line of the audit log', () => {
  it('says who did what, from where, with which result', async () => {
    const { audit, lines, path } = setup();
    audit.write(record());
    await audit.close();
    expect(lines().map((line) => JSON.parse(line))).toEqual([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: 'id-1',
        stage: 'ResponseComplete',
        requestURI: '/api/v1/namespaces/a/pods/x/log?…',
        verb: 'get',
        user: { username: 'jane', groups: ['dev', 'system:authenticated'] },
        sourceIPs: ['10.0.0.7'],
        userAgent: 'kubectl/v1.32.4',
        objectRef: { apiVersion: 'v1', resource: 'pods', subresource: 'log', namespace: 'a', name: 'x' },
        responseStatus: { code: 200 },
        requestReceivedTimestamp: '2026-01-02T03:04:05.006Z',
        stageTimestamp: '2026-01-02T03:04:05.018Z',
        durationMs: 12,
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is one line of bounded length without secrets, whatever the request contains', async () => {
    const { audit, lines } = setup();
    const long = 'x'.repeat(100_000);
    audit.write(
      record({
        uri: `/${long}`,
        userAgent: `a\nb ${long}`,
        verb: long,
        user: { name: long, groups: Array(1_000).fill('g') },
      }),
    );
    audit.write(record({ uri: '/login#token=ecsm_secret', userAgent: 'curl password=ecsm_secret' }));
    audit.write(record({ uri: 'https://jane:ecsm_secret@host/path' }));
    await audit.close();
    expect(lines()).toHaveLength(3);
    expect(Math.max(...lines().map((line) => line.length))).toBeLessThan(10_000);
    expect(lines().join()).not.toContain('ecsm_secret');
  });
});

describe('the audit log', () => {
  it('keeps the order of lines and appends to an existing file', async () => {
    const { audit, path, lines, clock } = setup();
    for (let index = 0; index < 500; index++) audit.write(record({ auditId: `${index}` }));
    await audit.close();
    const again = new AuditLog({ path, clock, log: { write: () => {} } });
    again.write(record({ auditId: '500' }));
    await again.close();
    expect(lines().map((line) => JSON.parse(line).auditID)).toEqual(
      Array.from({ length: 501 }, (_, index) => `${index}`),
    );
  });

  it('ends a line that was cut off by a crash', async () => {
    const { audit, path, lines } = setup();
    writeFileSync(path, '{"kind":"Ev', { mode: 0o644 });
    audit.write(record());
    await audit.close();
    expect(lines()).toHaveLength(2);
    expect(JSON.parse(lines()[1] ?? '')).toMatchObject({ auditID: 'id-1' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('rotates by size and keeps the given number of files', async () => {
    const { audit, directory, lines } = setup({ fileBytesMax: 2_000, rotatedFilesMax: 2 });
    for (let index = 0; index < 40; index++) {
      audit.write(record({ auditId: `${index}` }));
      await audit.flush();
    }
    await audit.close();
    expect(readdirSync(directory).sort()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2']);
    const ids = ['audit.log.2', 'audit.log.1', 'audit.log'].flatMap((name) =>
      lines(name).map((line) => Number(JSON.parse(line).auditID)),
    );
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => 40 - ids.length + index));
    for (const name of readdirSync(directory)) {
      expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(2_000);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('keeps one file without rotated ones', async () => {
    const { audit, directory, lines } = setup({ fileBytesMax: 1_000, rotatedFilesMax: 0 });
    for (let index = 0; index < 10; index++) {
      audit.write(record({ auditId: `${index}` }));
      await audit.flush();
    }
    await audit.close();
    expect(readdirSync(directory)).toEqual(['audit.log']);
    expect(JSON.parse(lines().at(-1) ?? '').auditID).toBe('9');
  });

  it('drops lines that cannot be written, reports them once a minute, and recovers', async () => {
    const { audit, clock, directory, path, reports, lines } = setup();
    mkdirSync(path);
    for (let index = 0; index < 5; index++) {
      audit.write(record());
      await audit.flush();
    }
    expect(reports).toEqual([{ lines: 1, reason: expect.stringContaining('EISDIR') }]);
    await clock.advance(auditLimits.reportMs);
    audit.write(record());
    await audit.flush();
    expect(reports.slice(1)).toEqual([{ lines: 5, reason: expect.stringContaining('EISDIR') }]);
    rmSync(join(directory, 'audit.log'), { recursive: true });
    audit.write(record({ auditId: 'after' }));
    await audit.close();
    expect(lines().map((line) => JSON.parse(line).auditID)).toEqual(['after']);
    expect(reports).toHaveLength(2);
  });

  it.skipIf(withoutFullDevice())('does not stop requests when the disk is full', async () => {
    const { audit, reports } = setup({ path: '/dev/full' });
    for (let index = 0; index < 3; index++) audit.write(record());
    await audit.close();
    expect(reports).toEqual([{ lines: 3, reason: expect.stringContaining('ENOSPC') }]);
    expect(statSync('/dev/full').mode & 0o066).toBe(0o066);
  });

  it('holds a bounded number of bytes while the disk is slow', async () => {
    const { audit, reports, lines } = setup();
    const uri = `/${'x'.repeat(900)}`;
    // Nothing is written before the event loop turns.
    for (let index = 0; index < 2_000; index++) audit.write(record({ uri }));
    await audit.close();
    const dropped = reports.reduce((sum, fields) => sum + Number(fields.lines), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(lines().length + dropped).toBe(2_000);
    expect(lines().join('\n').length).toBeLessThanOrEqual(auditLimits.queueBytesMax);
  });

  it('has space again for what was written', async () => {
    const { audit, reports, lines } = setup();
    const uri = `/${'x'.repeat(1_000)}`;
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 200; index++) audit.write(record({ uri }));
      await audit.flush();
    }
    await audit.close();
    expect(reports).toEqual([]);
    expect(lines()).toHaveLength(2_000);
  });

  it('does not write through a symbolic link', async () => {
    const { audit, directory, path, reports } = setup();
    const target = join(directory, 'target');
    writeFileSync(target, 'untouched');
    chmodSync(target, 0o644);
    symlinkSync(target, path);
    audit.write(record());
    await audit.close();
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(statSync(target).mode & 0o777).toBe(0o644);
    expect(reports).toHaveLength(1);
  });

  it('rejects limits that make no sense', () => {
    expect(() => setup({ fileBytesMax: 0 })).toThrow('needs a size');
    expect(() => setup({ rotatedFilesMax: -1 })).toThrow('not negative');
  });
});
