/** `ecsmctl validate -f`: reports all errors in files. Opens no registry. */

import { Failure, plural, type Run, visible } from '@ecsm/command-line';
import { shortNameOf } from '../shared/kinds.ts';
import { checkManifestFiles } from '../shared/manifests.ts';
import { withoutRegistry } from '../shared/session.ts';
import { rejectArguments } from './arguments.ts';

export const run: Run = async (call) => {
  rejectArguments(call);
  const { out } = call.terminal;
  const { documents, problems } = await checkManifestFiles(call, await withoutRegistry(call));
  for (const { kind, name, manifest } of documents) {
    out.write(`${shortNameOf(kind, name)} is valid (${visible(manifest.file)}:${manifest.line})\n`);
  }
  for (const problem of problems) out.write(`${visible(problem)}\n`);
  if (problems.length === 0) return;
  throw new Failure(`validation failed: ${plural(problems.length, 'error')}`);
};
