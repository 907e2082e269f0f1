/** The one document of a config file, with its positions; nothing if there are only comments. */
import { isApiError, type Manifest, readManifests } from '@ecsm/runtime';
import { UsageError } from './errors.ts';

export async function documentOf(file: string, bytes: Uint8Array): Promise<Manifest | undefined> {
  try {
    const [document, second] = await readManifests(bytes, { file });
    if (second)
      throw new UsageError(`${file}:${second.line}: a config file holds one document, and this is a second one`);
    return document;
  } catch (error) {
    throw isApiError(error) ? new UsageError(error.message) : error;
  }
}
