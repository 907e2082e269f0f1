import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { found, refusal, setUp } from './platform.kit.ts';
import { uploadsMax } from './uploads.ts';

const chunk = (text: string, change: object = {}) => ({
  imageHash: 'abc',
  totalSizeBytes: text.length,
  chunkCount: 1,
  index: 1,
  bytes: Buffer.from(text).toString('base64'),
  description: '',
  ...change,
});

describe('an upload', () => {
  it('becomes an image when all chunks are present, in any order', () => {
    const { platform } = setUp();
    const text = '{"name":"camera","tag":"2.0.0","os":"linux","arch":"arm64","config":{"a":1}}';
    const parts = [text.slice(0, 20), text.slice(20, 50), text.slice(50)];
    let uploadId = '';
    for (const index of [3, 1, 1, 2]) {
      expect(platform.imageByRef('camera@2.0.0#linux')).toBeUndefined();
      const upload = platform.uploadChunk(
        chunk(parts[index - 1] ?? '', { index, chunkCount: 3, totalSizeBytes: text.length }),
      );
      uploadId = upload.id;
      expect(platform.uploadOfHash('abc')?.id).toBe(uploadId);
    }
    const image = found(platform.imageByRef('camera@2.0.0#linux'));
    expect(image).toMatchObject({ arch: 'arm64', sizeBytes: text.length, config: { a: 1 } });
    expect(platform.upload(uploadId)).toMatchObject({ imageId: image.id });
    // The same file once more is the same upload.
    expect(platform.uploadChunk(chunk(text, { chunkCount: 3 })).imageId).toBe(image.id);
  });

  it('without a description in the archive is named by its description, or by its number', () => {
    const { platform } = setUp();
    platform.uploadChunk(chunk('binary', { imageHash: '1', description: 'thermal@1.0.0#sylixos' }));
    expect(platform.imageByRef('thermal@1.0.0#sylixos')?.sizeBytes).toBe(6);
    for (const [place, text] of ['binary', '{"name":"a b","tag":"1","os":"linux"}', '[]', '{"name":1}'].entries()) {
      const { imageId } = platform.uploadChunk(chunk(text, { imageHash: `x${place}`, description: 'some words' }));
      expect(platform.image('local', imageId ?? '')).toMatchObject({
        tag: 'latest',
        os: 'sylixos',
        description: 'some words',
      });
    }
    expect(platform.images('local').filter(({ name }) => name.startsWith('upload-'))).toHaveLength(4);
  });

  it('of a deleted image can be repeated', () => {
    const { platform } = setUp();
    const file = chunk('{"name":"camera","tag":"2.0.0","os":"linux"}');
    platform.deleteImage('local', platform.uploadChunk(file).imageId ?? '');
    expect(platform.imageByRef('camera@2.0.0#linux')).toBeUndefined();
    platform.uploadChunk(file);
    expect(platform.imageByRef('camera@2.0.0#linux')).toBeDefined();
  });

  it('does not keep its content after the image was created', () => {
    const { platform } = setUp();
    platform.uploadChunk(chunk('x'.repeat(100_000)));
    expect(JSON.stringify(platform.snapshot().uploads).length).toBeLessThan(1_000);
  });

  it('rejects inconsistent chunks', () => {
    const { platform } = setUp();
    platform.uploadChunk(chunk('part', { chunkCount: 2 }));
    const before = platform.snapshot();
    for (const wrong of [
      { index: 0 },
      { index: 3, chunkCount: 2 },
      { chunkCount: 0 },
      { chunkCount: 1e9 },
      { chunkCount: 3 },
    ]) {
      expect(refusal(() => platform.uploadChunk(chunk('part', wrong)))).toBe('badRequest');
    }
    expect(platform.snapshot()).toEqual(before);
  });

  it('is dropped when too many others were started', () => {
    const { platform } = setUp();
    const { id } = platform.uploadChunk(chunk('part', { chunkCount: 2 }));
    for (let count = 0; count < uploadsMax; count++) {
      platform.uploadChunk(chunk('part', { chunkCount: 2, imageHash: `h${count}` }));
    }
    expect(platform.upload(id)).toBeUndefined();
    expect(Object.keys(platform.snapshot().uploads)).toHaveLength(uploadsMax);
  });
});
