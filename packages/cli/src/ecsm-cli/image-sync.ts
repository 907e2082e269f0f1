/** `image sync`: copies an image from a remote registry to the registry of the platform. */
import { numberOf } from '@ecsm/client';
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { imageText } from './cells.ts';
import { callPlatform } from './change.ts';
import { findImage } from './images.ts';
import { type Platform, withPlatform } from './platform.ts';
import { waitUntil } from './waiting.ts';

export async function run(call: Call): Promise<void> {
  const [word = ''] = call.words;
  const registryId = call.flag('registry');
  if (registryId === undefined) {
    throw new UsageError('--registry ID is required: "ecsm-cli raw GET /image/count" lists registries');
  }
  await withPlatform(call, async (platform) => {
    const row = await callPlatform(call, platform, 'find the image', (context) => findImage(context, word, registryId));
    const name = imageText(row);
    const { tag, os, arch, size } = row;
    if (!tag || !os || !arch) throw new Failure(`the registry did not return tag, OS and architecture of ${name}`);
    const syncId = await callPlatform(call, platform, `sync ${name}`, ({ signal }) =>
      platform.ecsm
        .images()
        .sync(
          { registryId, imageName: row.name, imageSize: numberOf(size) ?? 0, tag, os, arch, id: row.id },
          { signal },
        ),
    );
    const isDone = call.flag('wait') !== undefined;
    if (isDone) await waitUntilSynced(call, platform, name, syncId);
    call.terminal.out.write(`image/${name} ${isDone ? 'synced' : 'is being synced'}\n`);
  });
}

async function waitUntilSynced(call: Call, platform: Platform, name: string, syncId: string): Promise<void> {
  await waitUntil(call, platform, `image/${name} to be synced`, async ({ signal }) => {
    const { status, percent } = await platform.ecsm.images().syncProgress(syncId, { signal });
    if (status === 'fail') throw new Failure(`the platform could not sync image/${name}`);
    return { done: status === 'success', state: status ?? 'unknown', share: (percent ?? 0) / 100 };
  });
}
