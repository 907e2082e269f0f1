import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDirectory } from './directories.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-directories-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('creates a directory and its parents for the user alone', () => {
  createDirectory(join(directory, 'a/b'));
  expect(statSync(join(directory, 'a')).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'a/b')).mode & 0o777).toBe(0o700);
});

it('fails with ENOTDIR at a file, and with ENOENT where nothing can be created', () => {
  writeFileSync(join(directory, 'file'), '');
  expect(() => createDirectory(join(directory, 'file'))).toThrow('is a file, not a directory');
  expect(() => createDirectory('/proc/none/a')).toThrow('ENOENT');
});

it('succeeds while others create the same directories (it used to fail with EEXIST)', async () => {
  const paths = Array.from({ length: 300 }, (_, n) => join(directory, `${n}`, 'a'));
  const source = `
    const { mkdirSync } = require('node:fs');
    const { parentPort, workerData } = require('node:worker_threads');
    parentPort.postMessage('ready');
    for (const path of workerData) mkdirSync(path, { recursive: true });
  `;
  const other = new Worker(source, { eval: true, workerData: paths });
  const exited = new Promise((resolve) => other.once('exit', resolve));
  await new Promise((resolve) => other.once('message', resolve));
  for (const path of paths) createDirectory(path);
  await exited;
  for (const path of paths) expect(statSync(path).isDirectory()).toBe(true);
});
