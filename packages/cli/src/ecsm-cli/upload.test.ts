/** Uploads: in chunks, with a progress bar, resumable, and with bounded memory. */
import { createHash } from 'node:crypto';
import type { Files } from '@ecsm/command-line';
import { testTerminal } from '@ecsm/command-line/testing';
import { usedBytes } from '@ecsm/runtime/testing';
import { expect, test } from 'vitest';
import { fileSource } from './file-source.ts';
import { simulated } from './platform.kit.ts';

const mebibyte = 1024 * 1024;

/** A file that is generated while it is read. `onRead` gets the number of the opening and the offset. */
function largeFile(
  mebibytes: number,
  onRead: (opening: number, at: number) => void = () => {},
): {
  files: Files;
  opened: () => number;
  closed: () => number;
  bytes: (at: number) => number;
} {
  let opened = 0;
  let closed = 0;
  const bytes = (at: number) => (at * 7 + Math.floor(at / mebibyte)) % 251;
  const files: Files = {
    ...testTerminal().terminal.files,
    async open(path) {
      if (path !== 'big.tar') return undefined;
      const opening = ++opened;
      return {
        sizeBytes: mebibytes * mebibyte,
        chunks: (async function* () {
          try {
            const size = mebibyte / 4;
            for (let at = 0; at < mebibytes * mebibyte; at += size) {
              onRead(opening, at);
              yield Uint8Array.from({ length: size }, (_, index) => bytes(at + index));
            }
          } finally {
            closed++;
          }
        })(),
      };
    },
  };
  return { files, opened: () => opened, closed: () => closed, bytes };
}

test('reads chunks forwards and backwards, and closes the file', async () => {
  const { files, opened, closed, bytes } = largeFile(2);
  const source = await fileSource(files, 'big.tar', { hash: 'sha256', signal: new AbortController().signal });
  const whole = Uint8Array.from({ length: 2 * mebibyte }, (_, at) => bytes(at));
  expect(source).toMatchObject({ size: whole.length, hash: createHash('sha256').update(whole).digest('hex') });
  for (const [offset, length] of [
    [0, 1000],
    [1000, 700_000],
    [1_500_000, 500_000],
    [10, 20],
    [2 * mebibyte - 5, 5],
  ] as const) {
    expect(Buffer.compare(await source.read(offset, length), whole.subarray(offset, offset + length))).toBe(0);
  }
  // A read beyond the end is shorter.
  expect(await source.read(2 * mebibyte - 5, 10)).toHaveLength(5);
  await source.close();
  expect([opened(), closed()]).toEqual([3, 3]);
});

test('shows a progress bar on a terminal', async () => {
  const kit = await simulated({ isQuick: true });
  kit.simulator.link.set({ latencyMs: 5_000 });
  const { files, closed } = largeFile(4);
  const terminal = { columns: 120, rows: 24 };
  const { code, out, err } = await kit.run('image upload big.tar --chunk-size 1 --timeout 10m', {
    nodeFiles: files,
    terminal,
  });
  expect({ code, out }).toEqual({ code: 0, out: 'big.tar uploaded\n' });
  expect(err).toMatch(
    /waiting for the upload of big\.tar to http:\S+ \(\d+ s of 10 min\): \[█{10} {10}\] 50%, 2Mi of 4Mi/,
  );
  expect(closed()).toBe(2);
  expect(kit.simulator.journal.byEndpoint().find(({ endpoint }) => endpoint === 'POST /image')?.calls).toBe(4);
});

test('resumes an interrupted upload', async () => {
  const kit = await simulated({ isQuick: true });
  // The first opening is for the hash, the second for the upload; Ctrl-C is sent after half of it.
  const { files } = largeFile(4, (opening, at) => opening === 2 && at === 2 * mebibyte && upload.interrupt());
  const calls = () => kit.simulator.journal.byEndpoint().find(({ endpoint }) => endpoint === 'POST /image')?.calls ?? 0;
  const upload = kit.start(['image', 'upload', 'big.tar', '--chunk-size', '1'], { nodeFiles: files });
  expect(await upload.exit).toBe(130);
  expect(calls()).toBe(2);
  const { code, out } = await kit.run('image upload big.tar --chunk-size 1 --wait', { nodeFiles: files });
  expect({ code, out }).toEqual({ code: 0, out: 'big.tar uploaded\n' });
  expect(calls()).toBe(4);
  expect(await kit.run('image upload big.tar --chunk-size 1', { nodeFiles: files })).toMatchObject({
    out: expect.stringMatching(/^big\.tar already exists as image \S+\n$/),
  });
});

test('reports an interrupted upload and how to resume it', async () => {
  const kit = await simulated({ isQuick: true });
  const { files } = largeFile(2);
  kit.simulator.link.set({ errorPercent: 100, match: { method: 'POST', path: '/api/v1/image' } });
  const { code, err } = await kit.run('image upload big.tar', { nodeFiles: files });
  expect(code).toBe(1);
  expect(err).toMatch(
    /ecsm-cli: the upload of big\.tar to http:\S+ was interrupted: .*; the sent chunks are kept: repeat the upload to resume it\n$/,
  );
});

test('reads 512 MiB with bounded memory', async () => {
  const size = 512 * mebibyte;
  const piece = new Uint8Array(mebibyte);
  const files: Files = {
    ...testTerminal().terminal.files,
    open: async () => ({
      sizeBytes: size,
      chunks: (async function* () {
        for (let at = 0; at < size; at += mebibyte) yield piece;
      })(),
    }),
  };
  const before = usedBytes();
  const source = await fileSource(files, 'huge.tar', { hash: 'md5', signal: new AbortController().signal });
  let peak = 0;
  for (let offset = 0; offset < size; offset += 64 * mebibyte) {
    await source.read(offset, 5 * mebibyte);
    peak = Math.max(peak, usedBytes() - before);
  }
  await source.close();
  expect(peak).toBeLessThan(50 * mebibyte);
});
