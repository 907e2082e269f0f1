import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePayload } from './payload.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'process-node-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (files: Readonly<Record<string, string>>) =>
  writePayload(directory, new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])), 0o600);
const read = (path: string) => readFileSync(join(directory, path), 'utf8');
const visible = () => readdirSync(directory).filter((name) => !name.startsWith('..'));

describe('a payload', () => {
  it('replaces all files at once, and removes those that are gone', () => {
    expect(write({ a: '1', 'deep/b': '2' })).toBe(true);
    expect([read('a'), read('deep/b')]).toEqual(['1', '2']);
    const first = realpathSync(join(directory, 'a'));
    expect(write({ a: '3', c: '4' })).toBe(true);
    expect([read('a'), read('c')]).toEqual(['3', '4']);
    expect(visible()).toEqual(['a', 'c']);
    expect(realpathSync(join(directory, 'a'))).not.toBe(first);
    expect(readdirSync(directory)).toHaveLength(4);
  });

  it('is not written again without a change', () => {
    write({ a: '1' });
    const first = realpathSync(join(directory, 'a'));
    expect(write({ a: '1' })).toBe(false);
    expect(realpathSync(join(directory, 'a'))).toBe(first);
    expect(write({})).toBe(true);
    expect(visible()).toEqual([]);
    expect(write({})).toBe(false);
  });
});
