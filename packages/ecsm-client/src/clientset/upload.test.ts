import { describe, expect, it } from 'vitest';
import { rejection, type Seen, scripted } from './scripted.kit.ts';
import type { UploadProgress } from './upload.ts';

const bytes = Uint8Array.from({ length: 25 }, (_, n) => n);
const source = {
  size: 25,
  hash: 'abc123',
  read: (offset: number, length: number) => bytes.slice(offset, offset + length),
};

/** A platform that keeps chunks, and loses its responses to some of them. */
function registry(known: { imageId?: string; uploadId?: string | null; has?: readonly number[] } = {}) {
  const chunks = new Map<number, Uint8Array>();
  const response = ({ path, body, headers, bytes: sent }: Seen) => {
    if (path === '/image/hash/check') {
      const { chunkIndexArray } = body as { chunkIndexArray: readonly number[] };
      return {
        imageId: known.imageId ?? null,
        uploadId: known.uploadId ?? null,
        imageHashExist: known.imageId !== undefined,
        isImage: { result: true, detail: null },
        chunkIndexArray: chunkIndexArray.map((index) => ({ index, isExist: known.has?.includes(index) ?? false })),
      };
    }
    chunks.set(Number(headers['index']), sent ?? new Uint8Array());
    return { uploadId: 'upload-1' };
  };
  return { ...scripted(response), chunks };
}

describe('an upload', () => {
  it('sends every chunk with its headers', async () => {
    const { ecsm, requests, chunks } = registry();
    const progress: UploadProgress[] = [];
    const options = {
      chunkBytes: 10,
      description: 'Telemetrie für 卫星 100%',
      onProgress: (p: UploadProgress) => progress.push(p),
    };
    expect(await ecsm.images().upload(source, options)).toEqual({ uploadId: 'upload-1' });
    expect(requests[0]?.body).toEqual({ imageHash: 'abc123', chunkIndexArray: [1, 2, 3], imageSize: 25 });
    expect(Buffer.concat([...chunks.values()])).toEqual(Buffer.from(bytes));
    expect(requests[3]?.headers).toMatchObject({
      total: '3',
      index: '3',
      imagehash: 'abc123',
      totalsize: '25',
      buffersize: '5',
      offset: '10',
      description: 'Telemetrie%20f%C3%BCr%20%E5%8D%AB%E6%98%9F%20100%25',
      'content-type': 'application/octet-stream',
    });
    expect(progress.map(({ bytesDone }) => bytesDone)).toEqual([10, 20, 25]);
  });

  it('sends only the missing chunks of an interrupted upload', async () => {
    const { ecsm, chunks } = registry({ has: [1, 3], uploadId: 'upload-0' });
    const progress: UploadProgress[] = [];
    await ecsm.images().upload(source, { chunkBytes: 10, onProgress: (p) => progress.push(p) });
    expect([...chunks.keys()]).toEqual([2]);
    expect(progress).toEqual([{ bytesDone: 25, bytesTotal: 25 }]);
  });

  it('sends no chunks if the platform has the image', async () => {
    const { ecsm, chunks } = registry({ imageId: 'image-1' });
    expect(await ecsm.images().upload(source, { chunkBytes: 10 })).toEqual({ imageId: 'image-1' });
    expect(chunks.size).toBe(0);
  });

  it('returns the id of a complete upload, and sends a chunk again only to get it', async () => {
    const named = registry({ has: [1, 2, 3], uploadId: 'upload-0' });
    expect(await named.ecsm.images().upload(source, { chunkBytes: 10 })).toEqual({ uploadId: 'upload-0' });
    expect(named.chunks.size).toBe(0);
    const nameless = registry({ has: [1, 2, 3] });
    expect(await nameless.ecsm.images().upload(source, { chunkBytes: 10 })).toEqual({ uploadId: 'upload-1' });
    expect([...nameless.chunks.keys()]).toEqual([3]);
  });

  it('uses chunks of 5 MiB by default', async () => {
    const { ecsm, requests } = registry();
    await ecsm.images().upload(source);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.headers).toMatchObject({ total: '1', offset: String(5 * 1024 * 1024), buffersize: '25' });
  });

  it('stops between chunks when the caller aborts', async () => {
    const { ecsm, chunks } = registry();
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('enough'));
    const going = ecsm.images().upload(source, { chunkBytes: 10, onProgress, signal: controller.signal });
    await expect(going).rejects.toThrow('enough');
    expect(chunks.size).toBe(1);
  });

  it.each([
    [{ ...source, size: 0 }, {}, 'size has to be a whole number above 0'],
    [source, { chunkBytes: 0.5 }, 'chunkBytes has to be a whole number above 0'],
    [{ ...source, size: 1_000_000 }, { chunkBytes: 1 }, '1000000 chunks are over the limit of 100000'],
    [{ ...source, hash: 'a\r\nx: y' }, {}, 'the hash of an image has to be hex or base64 text'],
    [{ ...source, read: () => bytes }, { chunkBytes: 10 }, 'returned 25 bytes for chunk 1 instead of 10'],
  ])('%j with %j is refused', async (from, options, message) => {
    expect(await rejection(registry().ecsm.images().upload(from, options))).toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(message),
    });
  });
});
