/** `image sync`: an image from a remote registry into the one of the platform. */
import { numberOf } from '@ecsm/client';
import { type Call, Failure, UsageError, withProgress } from '@ecsm/command-line';
import { sleep } from '@ecsm/runtime';
import { during } from './change.ts';
import { findImage, referenceOf } from './images.ts';
import { isLinkTrouble } from './link.ts';
import { type Platform, withPlatform } from './platform.ts';
import { shareTeller } from './share.ts';

const lookEveryMs = 1_000;

export async function run(call: Call): Promise<void> {
  const [word = ''] = call.words;
  const registryId = call.flag('registry');
  if (registryId === undefined) {
    throw new UsageError('--registry ID is required: "ecsm-cli raw GET /image/count" lists registries');
  }
  await withPlatform(call, async (platform) => {
    const row = await during(call, platform, 'find the image', (context) => findImage(context, word, registryId));
    const name = referenceOf(row);
    const { tag, os, arch, size } = row;
    if (!tag || !os || !arch) throw new Failure(`the registry did not return tag, OS and architecture of ${name}`);
    const syncId = await during(call, platform, `sync ${name}`, ({ signal }) =>
      platform.ecsm
        .images()
        .sync(
          { registryId, imageName: row.name, imageSize: numberOf(size) ?? 0, tag, os, arch, id: row.id },
          { signal },
        ),
    );
    const isDone = call.flag('wait') !== undefined;
    if (isDone) await untilSynced(call, platform, name, syncId);
    call.terminal.out.write(`image/${name} ${isDone ? 'synced' : 'is being synced'}\n`);
  });
}

async function untilSynced(call: Call, platform: Platform, name: string, syncId: string): Promise<void> {
  const { terminal } = call;
  const remedy = 'the sync continues on the platform: check later with "ecsm-cli get images"';
  const what = `image/${name} to be synced`;
  await withProgress(terminal, { what, timeoutMs: platform.waitMs, remedy }, async (progress) => {
    const { signal, contact } = progress;
    const tell = shareTeller(terminal, progress);
    for (;;) {
      try {
        const { status, percent } = await platform.ecsm.images().syncProgress(syncId, { signal });
        contact();
        if (status === 'fail') throw new Failure(`the platform could not sync image/${name}`);
        if (status === 'success') return;
        tell((percent ?? 0) / 100, status ?? 'unknown');
      } catch (error) {
        if (!isLinkTrouble(error)) throw error;
        progress.update(`${platform.url} does not respond`);
      }
      await sleep(terminal.clock, lookEveryMs, signal);
      signal.throwIfAborted();
    }
  });
}
