/** `ecsmctl create -f`: creates objects, and fails for those that exist. */
import type { Run } from '@ecsm/command-line';
import { managerOf } from '../shared/managers.ts';
import { readManifestFiles } from '../shared/manifests.ts';
import { withoutRegistry } from '../shared/session.ts';
import { isDryRun } from '../shared/targets.ts';
import { rejectArguments } from './arguments.ts';
import { withNewRegistry } from './dry-run.ts';
import { Report } from './report.ts';

export const run: Run = async (call) => {
  rejectArguments(call, 'create');
  const report = new Report(call, 'created');
  const dryRun = isDryRun(call);
  const documents = await readManifestFiles(call, await withoutRegistry(call));
  await withNewRegistry(call, async ({ registry }) => {
    await report.each(documents, async ({ kind, object }) => {
      const created = await registry.resource(kind).create(object, { dryRun, manager: managerOf('create') });
      report.done({ kind, object: created }, 'created');
    });
    await report.print();
  });
  report.end();
};
