/** `ecsmctl replace -f`: replaces existing objects by those in files. */
import { type Run, UsageError } from '@ecsm/command-line';
import { managerOf } from '../shared/managers.ts';
import { readManifestFiles } from '../shared/manifests.ts';
import { withoutRegistry } from '../shared/session.ts';
import { isDryRun, isOn, readTarget } from '../shared/targets.ts';
import { rejectArguments } from './arguments.ts';
import { withExistingRegistry } from './dry-run.ts';
import { Report } from './report.ts';

export const run: Run = async (call) => {
  rejectArguments(call, 'replace');
  if (isOn(call, 'force')) {
    throw new UsageError(
      '--force would delete the service and its instances: run "ecsmctl delete -f FILE", then "ecsmctl create -f FILE"',
    );
  }
  const report = new Report(call, 'replaced');
  const dryRun = isDryRun(call);
  const documents = await readManifestFiles(call, await withoutRegistry(call));
  await withExistingRegistry(call, async (session) => {
    await report.each(documents, async (document) => {
      const { kind, object } = document;
      const { object: live } = await readTarget(session, document);
      // As in kubectl: a version in the file has to be the present one; without one, the last write wins.
      const resourceVersion = object.metadata.resourceVersion ?? live.metadata.resourceVersion;
      // Users do not write the finalizer of the operator. Without it, a deletion would leave the service on the platform.
      const { finalizers = live.metadata.finalizers ?? [] } = object.metadata;
      const metadata = { ...object.metadata, finalizers, resourceVersion };
      const options = { dryRun, manager: managerOf('replace') };
      const replaced = await session.registry.resource(kind).update({ ...object, metadata }, options);
      report.done({ kind, object: replaced }, 'replaced');
    });
    await report.print();
  });
  report.end();
};
