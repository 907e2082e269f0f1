/** Section 8 of the reference: an image on its way into the local registry, chunk by chunk, and again after a break. */
import { createHash } from 'node:crypto';
import { collect, type UploadSource } from '@ecsm/client';
import { expect, it } from 'vitest';
import { exactly, type Form, list, object, orNull } from './form.kit.ts';
import { type ExpectedCall, onEveryPlatform, type Site } from './site.kit.ts';

/** A short JSON file describes the image to the simulated platform. */
const file = new TextEncoder().encode(JSON.stringify({ name: 'uplink', tag: '1.0.0', os: 'sylixos' }));
const hash = createHash('sha256').update(file).digest('hex');
const chunkBytes = 16;
const chunks = Math.ceil(file.length / chunkBytes);
const indexes = Array.from({ length: chunks }, (_, at) => at + 1);
const chunk = (index: number) => file.slice((index - 1) * chunkBytes, index * chunkBytes);
const source: UploadSource = { size: file.length, hash, read: (offset, length) => file.slice(offset, offset + length) };
const checkBody = { imageHash: hash, chunkIndexArray: indexes, imageSize: file.length };
const uploaded = object({ uploadId: 'uuid' });

const hashCheck: Form = object({
  imageId: orNull('uuid'),
  uploadId: orNull('uuid'),
  imageHashExist: 'boolean',
  isImage: object({ result: 'boolean', detail: orNull('anything') }),
  chunkIndexArray: list(object({ index: 'count', isExist: 'boolean' })),
});

const nothingYet = {
  imageId: null,
  uploadId: null,
  imageHashExist: false,
  isImage: { result: false, detail: null },
  chunkIndexArray: indexes.map((index) => ({ index, isExist: false })),
};

/** What goes with one chunk. `offset` is the size of a slice, whatever its name. */
function sent(index: number): readonly [string, ExpectedCall] {
  const bytes = chunk(index);
  const headers = {
    total: String(chunks),
    index: String(index),
    imagehash: hash,
    totalsize: String(file.length),
    buffersize: String(bytes.length),
    offset: String(chunkBytes),
  };
  return ['POST /image', { bytes, headers, data: uploaded }];
}

/** Sends the first chunks, and breaks off there. */
async function interrupted(on: Site, afterChunks: number): Promise<void> {
  const gaveUp = new AbortController();
  const onProgress = ({ bytesDone }: { readonly bytesDone: number }) => {
    if (bytesDone === afterChunks * chunkBytes) gaveUp.abort(new Error('the link is gone'));
  };
  const upload = on.ecsm.images().upload(source, { chunkBytes, onProgress, signal: gaveUp.signal });
  await expect(upload).rejects.toThrow('the link is gone');
  on.forget();
}

onEveryPlatform('uploads', (site) => {
  it('POST /image: sends the bytes of a chunk, and its description in headers', async () => {
    const on = site();
    const whole = { ...source, size: chunkBytes, hash: createHash('sha256').update(chunk(1)).digest('hex') };
    const { uploadId } = await on.ecsm.images().upload(whole, { description: '相机 a%b' });
    const asked = { imageHash: whole.hash, chunkIndexArray: [1], imageSize: whole.size };
    const [, answer] = on.sawInTurn([
      ['POST /image/hash/check', { body: asked, data: hashCheck }],
      [
        'POST /image',
        {
          bytes: chunk(1),
          headers: {
            description: '%E7%9B%B8%E6%9C%BA%20a%25b',
            total: '1',
            index: '1',
            imagehash: whole.hash,
            totalsize: String(chunkBytes),
            buffersize: String(chunkBytes),
            offset: String(5 * 1024 * 1024),
          },
          data: uploaded,
        },
      ],
    ]);
    expect(answer).toEqual({ uploadId });
  });

  it('POST /image: sends every chunk, and the image exists', async () => {
    const on = site();
    const { uploadId } = await on.ecsm.images().upload(source, { chunkBytes });
    const answers = on.sawInTurn([
      ['POST /image/hash/check', { body: checkBody, data: exactly(nothingYet) }],
      ...indexes.map(sent),
    ]);
    expect(answers.slice(1)).toEqual(indexes.map(() => ({ uploadId })));
    expect(await collect(on.ecsm.images().list({ name: 'uplink' }))).toMatchObject([{ tag: '1.0.0', os: 'sylixos' }]);
  });

  it('POST /image: sends only missing chunks after an interruption', async () => {
    const on = site();
    await interrupted(on, 2);
    const { uploadId } = await on.ecsm.images().upload(source, { chunkBytes });
    const missing = indexes.slice(2);
    const [known] = on.sawInTurn([
      ['POST /image/hash/check', { body: checkBody, data: hashCheck }],
      ...missing.map(sent),
    ]);
    expect(known).toMatchObject({
      imageId: null,
      uploadId,
      imageHashExist: false,
      chunkIndexArray: indexes.map((index) => ({ index, isExist: index <= 2 })),
    });
    expect(await collect(on.ecsm.images().list({ name: 'uplink' }))).toHaveLength(1);
  });

  it('POST /image/hash/check: finds nothing of a new image, and all chunks of an existing one', async () => {
    const on = site();
    const before = await on.ecsm.images().checkHash(hash, indexes, file.length);
    expect(on.saw('POST /image/hash/check', { body: checkBody, data: exactly(nothingYet) })).toEqual(before);
    await on.ecsm.images().upload(source, { chunkBytes });
    on.forget();
    const after = await on.ecsm.images().checkHash(hash, indexes, file.length);
    expect(on.saw('POST /image/hash/check', { body: checkBody, data: hashCheck })).toEqual(after);
    const imageId = on.platform.imageByRef('uplink@1.0.0#sylixos')?.id;
    expect(after).toMatchObject({ imageId, imageHashExist: true, isImage: { result: true } });
    expect(await on.ecsm.images().upload(source, { chunkBytes })).toMatchObject({ imageId });
    on.saw('POST /image/hash/check', { body: checkBody, data: hashCheck });
  });

  it('GET /image/upload/:uploadId: shows the progress of an upload', async () => {
    const on = site();
    await interrupted(on, 2);
    const { uploadId } = await on.ecsm.images().checkHash(hash, indexes, file.length);
    on.forget();
    const look = async (form: Form) => {
      const progress = await on.ecsm.images().uploadProgress(uploadId ?? '');
      on.saw('GET /image/upload/:uploadId', { path: { uploadId: uploadId ?? '' }, data: form });
      return progress;
    };
    const half = await look(object({ progress: 'percent', status: exactly('running') }));
    expect(half).toEqual({ percent: Math.floor(200 / chunks), status: 'running' });
    await on.ecsm.images().upload(source, { chunkBytes });
    on.forget();
    expect(await look(exactly({ progress: 100, status: 'success' }))).toEqual({ percent: 100, status: 'success' });
  });
});
