/** `ecsmctl validate -f`: reports all errors in files; with `--live` also images and nodes that the platform does not have. Opens no registry. */

import { type Call, Failure, plural, type Run, visible } from '@ecsm/command-line';
import { shortNameOf } from '../shared/kinds.ts';
import { checkManifestFiles, type Document } from '../shared/manifests.ts';
import { platformLink } from '../shared/platform-link.ts';
import { withoutRegistry } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';
import { rejectArguments } from './arguments.ts';
import { liveProblems } from './live-check.ts';

export const run: Run = async (call) => {
  rejectArguments(call, 'validate');
  const { out } = call.terminal;
  const { documents, problems } = await checkManifestFiles(call, await withoutRegistry(call));
  for (const { kind, name, manifest } of documents) {
    out.write(`${shortNameOf(kind, name)} is valid (${visible(manifest.file)}:${manifest.line})\n`);
  }
  const found = [...problems, ...(isOn(call, 'live') ? await askPlatform(call, documents) : [])];
  for (const problem of found) out.write(`${visible(problem)}\n`);
  if (found.length === 0) return;
  throw new Failure(`validation failed: ${plural(found.length, 'error')}`);
};

async function askPlatform(call: Call, documents: readonly Document[]): Promise<readonly string[]> {
  const link = await platformLink(call);
  try {
    return await liveProblems(call, link, documents);
  } finally {
    link.transport.close();
  }
}
