/** `describe`: the details of the named objects. */

import { type Call, UsageError, withProgress } from '@ecsm/command-line';
import { paintOf } from '../print/paint.ts';
import { kindNames } from './kinds.ts';
import { withPlatform } from './platform.ts';
import { contextOf, loadResource } from './resource.ts';
import { targetsOf } from './targets.ts';

export async function run(call: Call): Promise<void> {
  const targets = targetsOf(call.words);
  for (const { kind, names: wanted } of targets) {
    if (wanted.length === 0)
      throw new UsageError(`name a ${kind}: "ecsm-cli get ${kindNames[kind].plural}" lists them`);
  }
  const texts = await withPlatform(call, async (platform) => {
    const all: string[] = [];
    for (const { kind, names: wanted } of targets) {
      const resource = await loadResource(kind);
      for (const word of wanted) {
        const what = `${kind} ${word} of ${platform.url}`;
        const timeoutMs = Number.POSITIVE_INFINITY;
        const text = await withProgress(call.terminal, { what, timeoutMs }, async ({ signal }) => {
          const context = contextOf(call, platform, { signal, flags: ['namespace', 'registry'] });
          return (await resource.find(context, word)).describe();
        });
        all.push(text);
      }
    }
    return all;
  });
  const { out } = call.terminal;
  const { bold } = paintOf(out.isColoured);
  // Titles at the start of lines are bold.
  out.write(texts.join('\n').replace(/^[A-Z][\w -]*:/gm, (title) => bold(title)));
}
