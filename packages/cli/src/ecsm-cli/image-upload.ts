/** `image upload`: a file to the registry of the platform. A repeated upload resumes an interrupted one. */
import type { Uploaded } from '@ecsm/client';
import { type Call, Failure, wholeNumberOf, withProgress } from '@ecsm/command-line';
import { formatBytes } from '../print/amount.ts';
import { fileSource } from './file-source.ts';
import { isLinkError } from './link.ts';
import { type Platform, withPlatform } from './platform.ts';
import { progressReporter } from './progress-bar.ts';
import { waitUntil } from './waiting.ts';

const mebibyte = 1024 * 1024;
const chunkMebibytesMax = 1024;

export async function run(call: Call): Promise<void> {
  const [path = ''] = call.words;
  const text = call.flag('chunk-size');
  const chunkBytes =
    text === undefined ? 5 * mebibyte : wholeNumberOf(text, '--chunk-size', 1, chunkMebibytesMax) * mebibyte;
  await withPlatform(call, async (platform) => {
    const { uploadId, imageId } = await upload(call, platform, path, chunkBytes);
    const { out } = call.terminal;
    if (imageId !== undefined) {
      out.write(`${path} already exists as image ${imageId}\n`);
      return;
    }
    if (call.flag('wait') !== undefined && uploadId !== undefined)
      await waitUntilProcessed(call, platform, path, uploadId);
    out.write(`${path} uploaded\n`);
  });
}

async function upload(call: Call, platform: Platform, path: string, chunkBytes: number): Promise<Uploaded> {
  const { terminal } = call;
  const description = call.flag('description');
  const what = `the upload of ${path} to ${platform.url}`;
  const timeoutMs = platform.timeoutMs ?? Number.POSITIVE_INFINITY;
  const remedy = 'the sent chunks are kept: repeat the upload to resume it';
  return withProgress(terminal, { what, timeoutMs, remedy }, async (progress) => {
    const { signal, contact } = progress;
    const report = progressReporter(terminal, progress);
    const source = await fileSource(terminal.files, path, { hash: call.flag('hash') ?? 'sha256', signal });
    report(0, `0B of ${formatBytes(source.size)}`);
    try {
      return await platform.ecsm.images().upload(source, {
        signal,
        chunkBytes,
        ...(description === undefined ? {} : { description }),
        onProgress: ({ bytesDone, bytesTotal }) => {
          contact();
          report(bytesDone / bytesTotal, `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`);
        },
      });
    } catch (error) {
      if (!isLinkError(error) || !(error instanceof Error)) throw error;
      throw new Failure(`${what} was interrupted: ${error.message}; ${remedy}`, { cause: error });
    } finally {
      await source.close();
    }
  });
}

/** The platform creates an image from the uploaded file. */
async function waitUntilProcessed(call: Call, platform: Platform, path: string, uploadId: string): Promise<void> {
  await waitUntil(call, platform, `the platform to process ${path}`, async ({ signal }) => {
    const { status, percent } = await platform.ecsm.images().uploadProgress(uploadId, { signal });
    if (status === 'fail') throw new Failure(`the platform could not create an image from ${path}`);
    return { done: status === 'success' || percent === 100, state: `${status ?? 'unknown'}, ${percent ?? '?'}%` };
  });
}
