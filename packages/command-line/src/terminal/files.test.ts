import { execFileSync } from 'node:child_process';
import {
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../command/errors.ts';
import type { Files } from '../command/terminal.ts';
import { testTerminal } from '../command/test-terminal.kit.ts';
import { nodeFiles } from './files.ts';

let directory = '';
let files: Files;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-files-'));
  files = nodeFiles({ here: directory, home: directory, fileBytesMax: 1_000_000 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const text = async (of: Files, path: string) => Buffer.from((await of.read(path)) ?? bytes('nothing')).toString();
const everything = () => readdirSync(directory).sort();

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'no refusal',
    (reason: unknown) => reason,
  );
  return error instanceof Failure ? error.message : String(error);
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const one of texts) yield bytes(one);
}

/** What tests pretend has to be as what is. */
describe.each(['real', 'virtual'] as const)('%s files', (kind) => {
  beforeEach(async () => {
    if (kind === 'virtual')
      files = testTerminal({ files: { 'fleet/a.yaml': 'a', 'fleet/deep/b.yaml': 'b' } }).terminal.files;
    mkdirSync(join(directory, 'fleet', 'deep'), { recursive: true });
    writeFileSync(join(directory, 'fleet', 'a.yaml'), 'a');
    writeFileSync(join(directory, 'fleet', 'deep', 'b.yaml'), 'b');
  });

  it('are read, listed and opened', async () => {
    expect(await text(files, 'fleet/a.yaml')).toBe('a');
    expect(await files.read('nothing')).toBeUndefined();
    expect(await files.open('nothing')).toBeUndefined();
    expect(await files.list('nothing')).toBeUndefined();
    expect(await files.list('fleet/a.yaml')).toBeUndefined();
    expect(await files.list('fleet')).toEqual(['fleet/a.yaml']);
    expect(await files.list('./fleet/', { recursive: true })).toEqual(['fleet/a.yaml', 'fleet/deep/b.yaml']);
    const opened = await files.open('fleet/a.yaml');
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened?.chunks ?? []) chunks.push(chunk);
    expect([opened?.sizeBytes, Buffer.concat(chunks).toString()]).toEqual([1, 'a']);
    expect(await refusal(files.read('fleet'))).toBe('fleet is a directory');
  });

  it('are written, and overwritten unless that is disabled', async () => {
    await files.write('new', bytes('1'));
    await files.write('new', pieces('2', '3'));
    expect(await text(files, 'new')).toBe('23');
    expect(await refusal(files.write('new', bytes('4'), { exclusive: true }))).toBe(
      'new already exists and is not overwritten',
    );
    await files.write('other', pieces('5'), { exclusive: true });
    expect([await text(files, 'new'), await text(files, 'other')]).toEqual(['23', '5']);
  });
});

describe('files on disk', () => {
  it('are readable by their owner only if they contain secrets', async () => {
    await files.write('backup', pieces('1'), { secret: true });
    expect(statSync(join(directory, 'backup')).mode & 0o777).toBe(0o600);
  });

  it('are written completely or not at all, without temporary files', async () => {
    await files.write('new', bytes('old'));
    const broken = (async function* () {
      yield bytes('half');
      throw new Error('the source is gone');
    })();
    await expect(files.write('new', broken)).rejects.toThrow('the source is gone');
    expect([everything(), readFileSync(join(directory, 'new'), 'utf8')]).toEqual([['new'], 'old']);
    await files.write('exclusive', bytes('x'), { exclusive: true });
    expect(everything()).toEqual(['exclusive', 'new']);
  });

  it('do not take the place of a pipe or a device', async () => {
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    expect(await refusal(files.write('pipe', bytes('x')))).toBe('pipe cannot be written: it is a device or a pipe');
    expect([statSync(join(directory, 'pipe')).isFIFO(), everything()]).toEqual([true, ['pipe']]);
  });

  it('have a size limit when read completely, and none when read in chunks', async () => {
    writeFileSync(join(directory, 'fits'), Buffer.alloc(1_000_000));
    writeFileSync(join(directory, 'large'), Buffer.alloc(1_000_001));
    expect((await files.read('fits'))?.length).toBe(1_000_000);
    expect(await refusal(files.read('large'))).toBe('large is larger than the limit of 1000000 bytes');
    let size = 0;
    for await (const chunk of (await files.open('large'))?.chunks ?? []) size += chunk.length;
    expect(size).toBe(1_000_001);
  });

  it('are read through symbolic links; directories are not', async () => {
    mkdirSync(join(directory, 'd'));
    writeFileSync(join(directory, 'd', 'a'), '');
    symlinkSync('a', join(directory, 'd', 'link'));
    symlinkSync('nowhere', join(directory, 'd', 'broken'));
    symlinkSync('..', join(directory, 'd', 'up'));
    expect(await files.list('d', { recursive: true })).toEqual(['d/a', 'd/link']);
  });

  it('are rejected with name and reason', async () => {
    mkdirSync(join(directory, 'd'));
    expect(await refusal(files.open('d'))).toBe('d is a directory');
    expect(await refusal(files.write('none/x', bytes('')))).toBe(
      'none/x cannot be written: its directory does not exist',
    );
    expect(await refusal(files.write('d', bytes('')))).toBe('d is a directory');
    expect(await refusal(files.read('x'.repeat(300)))).toBe(`${'x'.repeat(300)} cannot be read: its name is too long`);
    symlinkSync('loop', join(directory, 'loop'));
    expect(await refusal(files.read('loop'))).toBe('loop cannot be read: there are too many levels of symbolic links');
  });
});
