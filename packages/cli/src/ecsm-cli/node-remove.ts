/** `node remove`: the platform forgets a machine. It refuses as long as services use it. */
import type { NodeRow } from '@ecsm/client';
import { type Call, Failure, plural } from '@ecsm/command-line';
import { during } from './change.ts';
import { confirmDestruction } from './guard.ts';
import { findNode } from './nodes.ts';
import { type Platform, withPlatform } from './platform.ts';

export async function run(call: Call): Promise<void> {
  await withPlatform(call, (platform) => removeNodes(call, platform, [...new Set(call.words)]));
}

/** Also for `delete node`. */
export async function removeNodes(call: Call, platform: Platform, words: readonly string[]): Promise<void> {
  const nodes = await during(call, platform, 'find the named objects', async (context) => {
    const all: NodeRow[] = [];
    for (const word of words) all.push(await findNode(context, word));
    return all;
  });
  const shown = nodes.map(({ name }) => `"${name}"`).join(', ');
  await confirmDestruction(call, `remove ${nodes.length === 1 ? 'node' : plural(nodes.length, 'node')} ${shown}`);
  const ids = nodes.map(({ id }) => id);
  const conflicts = await during(call, platform, 'remove nodes', ({ signal }) =>
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
