/** `ecsmctl create -f`: makes objects, and leaves those alone that are there. */
import type { Run } from '@ecsm/command-line';
import { readManifestFiles } from '../shared/manifests.ts';
import { withoutRegistry } from '../shared/session.ts';
import { isDryRun, withNewRegistry } from './dry-run.ts';
import { Report } from './report.ts';
import { refuseWords } from './words.ts';

export const run: Run = async (call) => {
  refuseWords(call);
  const report = new Report(call, 'created');
  const dryRun = isDryRun(call);
  const documents = await readManifestFiles(call, await withoutRegistry(call));
  await withNewRegistry(call, async ({ registry }) => {
    await report.each(documents, async ({ kind, object }) => {
      const made = await registry.resource(kind).create(object, { dryRun });
      report.done({ kind, object: made }, 'created');
    });
    await report.print();
  });
  report.end();
};
