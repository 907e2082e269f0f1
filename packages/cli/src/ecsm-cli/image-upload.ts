/** `image upload`: a file into the registry of the platform. One that broke off goes on where it stopped. */
import type { Uploaded } from '@ecsm/client';
import { type Call, Failure, wholeNumberOf, withProgress } from '@ecsm/command-line';
import { formatBytes } from '../print/age.ts';
import { fileSource } from './file-source.ts';
import { isLinkTrouble } from './link.ts';
import { type Platform, withPlatform } from './platform.ts';
import { shareTeller } from './share.ts';
import { until } from './waiting.ts';

const mebibyte = 1024 * 1024;
const chunkMebibytesMax = 1024;

export async function run(call: Call): Promise<void> {
  const [path = ''] = call.words;
  const text = call.flag('chunk-size');
  const chunkBytes =
    text === undefined ? 5 * mebibyte : wholeNumberOf(text, '--chunk-size', 1, chunkMebibytesMax) * mebibyte;
  await withPlatform(call, async (platform) => {
    const { uploadId, imageId } = await sent(call, platform, path, chunkBytes);
    const { out } = call.terminal;
    if (imageId !== undefined) {
      out.write(`${path} already exists as image ${imageId}\n`);
      return;
    }
    if (call.flag('wait') !== undefined && uploadId !== undefined) await untilRead(call, platform, path, uploadId);
    out.write(`${path} uploaded\n`);
  });
}

async function sent(call: Call, platform: Platform, path: string, chunkBytes: number): Promise<Uploaded> {
  const { terminal } = call;
  const description = call.flag('description');
  const what = `the upload of ${path} to ${platform.url}`;
  const timeoutMs = platform.timeoutMs ?? Number.POSITIVE_INFINITY;
  const remedy = 'the sent chunks are kept: repeat the upload to resume it';
  return withProgress(terminal, { what, timeoutMs, remedy }, async (progress) => {
    const { signal, contact } = progress;
    const tell = shareTeller(terminal, progress);
    const source = await fileSource(terminal.files, path, { hash: call.flag('hash') ?? 'sha256', signal });
    tell(0, `0B of ${formatBytes(source.size)}`);
    try {
      return await platform.ecsm.images().upload(source, {
        signal,
        chunkBytes,
        ...(description === undefined ? {} : { description }),
        onProgress: ({ bytesDone, bytesTotal }) => {
          contact();
          tell(bytesDone / bytesTotal, `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`);
        },
      });
    } catch (error) {
      if (!isLinkTrouble(error) || !(error instanceof Error)) throw error;
      throw new Failure(`${what} was interrupted: ${error.message}; ${remedy}`, { cause: error });
    } finally {
      await source.close();
    }
  });
}

/** The platform makes an image of what came. */
async function untilRead(call: Call, platform: Platform, path: string, uploadId: string): Promise<void> {
  await until(call, platform, `the platform to process ${path}`, async ({ signal }) => {
    const { status, percent } = await platform.ecsm.images().uploadProgress(uploadId, { signal });
    if (status === 'fail') throw new Failure(`the platform could not create an image from ${path}`);
    return { done: status === 'success' || percent === 100, state: `${status ?? 'unknown'}, ${percent ?? '?'}%` };
  });
}
