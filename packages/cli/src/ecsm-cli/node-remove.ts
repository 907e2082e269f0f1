/** `node remove`: removes machines from the platform, which refuses while services use them. */
import { type Call, Failure, plural } from '@ecsm/command-line';
import { callPlatform, findEach } from './change.ts';
import { confirmIrreversible } from './confirm.ts';
import { findNode } from './nodes.ts';
import { type Platform, withPlatform } from './platform.ts';

export async function run(call: Call): Promise<void> {
  await withPlatform(call, (platform) => removeNodes(call, platform, [...new Set(call.words)]));
}

/** Also used by `delete node`. */
export async function removeNodes(call: Call, platform: Platform, words: readonly string[]): Promise<void> {
  const nodes = await findEach(call, platform, words, findNode);
  const shown = nodes.map(({ name }) => `"${name}"`).join(', ');
  await confirmIrreversible(call, `remove ${nodes.length === 1 ? 'node' : plural(nodes.length, 'node')} ${shown}`);
  const ids = nodes.map(({ id }) => id);
  const conflicts = await callPlatform(call, platform, 'remove nodes', ({ signal }) =>
    platform.ecsm.nodes().delete(ids, { signal }),
  );
  if (conflicts.length > 0) {
    const reasons = conflicts.map(({ name, serves }) => {
      const users = (serves ?? []).map((service) => service.name ?? service.id).join(', ');
      return `node "${name}" is used by ${users || 'services'}`;
    });
    throw new Failure(`nothing was removed: ${reasons.join('; ')}. Delete these services or move them first`);
  }
  for (const { name } of nodes) call.terminal.out.write(`node/${name} removed\n`);
}
