/** `ecsmctl registry migrate --to URL`: copies the whole registry. The source is not changed. */

import { type Call, Failure, plural, type Run, UsageError, visible } from '@ecsm/command-line';
import {
  formatAge,
  isApiError,
  Lease,
  leaseMsOf,
  type MigrationSummary,
  migrate,
  openRegistry,
  parseStoreUrl,
  type StoreUrl,
  timeMsOf,
  withoutPassword,
} from '@ecsm/runtime';
import { locateRegistry, settingsOf } from '../shared/location.ts';
import { knownKinds, type Session, storageOf } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';
import { explained } from './restore.ts';
import { amountText, withAwaitedSession, withTransfer } from './transfer.ts';

export const run: Run = async (call) => {
  const { terminal } = call;
  const to = call.flag('to');
  if (to === undefined)
    throw new UsageError('specify the target: --to sqlite:DIR, --to file:DIR or --to etcd://HOST:PORT/PREFIX');
  const target = withoutPassword(to);
  checkTarget(to, (await locateRegistry(call, await settingsOf(call))).secretUrl);
  const { summary, url } = await withAwaitedSession(call, async (session) => {
    await warnAboutLeaders(call, session);
    return { url: session.url, summary: await copy(call, session, to, target) };
  });
  const { err, out } = terminal;
  const { sourceRevision, leftOut, damaged, hasSourceChanged } = summary;
  if (damaged > 0) err.write(`warning: ${plural(damaged, 'damaged record')} left out\n`);
  if (hasSourceChanged) {
    throw new Failure(
      `${url} was written to after revision ${sourceRevision}, and the changes are not in ${target}: stop the operator, empty ${target} or use another target, and migrate again`,
    );
  }
  out.write(
    `migrated ${amountText(summary)} of ${url} as of revision ${sourceRevision} to ${target}, and verified them\n`,
  );
  if (leftOut > 0)
    err.write(`${plural(leftOut, 'lease or fence', 'leases and fences')} skipped: a new leader will be elected\n`);
  err.write(`next: start the operator with --registry ${target}, and set ECSM_REGISTRY for ecsmctl\n`);
  err.write(
    `${url} was not changed: keep it until the migration is confirmed, and do not run operators on both registries\n`,
  );
};

function checkTarget(to: string, from: string): void {
  let place: StoreUrl;
  try {
    place = parseStoreUrl(to);
  } catch (error) {
    throw isApiError(error) ? new UsageError(`--to: ${error.message}`) : error;
  }
  if (place.scheme === 'memory') throw new UsageError('--to: memory: is lost when the command ends: use another URL');
  if (isSamePlace(place, parseStoreUrl(from)))
    throw new UsageError(`--to: ${withoutPassword(to)} is the source registry: use another URL`);
}

function isSamePlace(one: StoreUrl, other: StoreUrl): boolean {
  if (one.scheme === 'memory' || other.scheme === 'memory') return false;
  if (one.scheme === 'etcd') {
    const isShared = other.scheme === 'etcd' && one.endpoints.some((host) => other.endpoints.includes(host));
    return isShared && one.prefix === other.prefix;
  }
  return other.scheme !== 'etcd' && tidy(one.directory) === tidy(other.directory);
}

function tidy(directory: string): string {
  return directory
    .replace(/\/+/g, '/')
    .replace(/(?:\/\.)+(?=\/|$)/g, '')
    .replace(/^\.\//, '')
    .replace(/\/$/, '');
}

async function copy(call: Call, session: Session, to: string, target: string): Promise<MigrationSummary> {
  const { clock } = call.terminal;
  const registry = await openRegistry(to, { kinds: knownKinds, clock });
  try {
    return await withTransfer(call, `${session.url} to be copied to ${target}`, (options) =>
      migrate(session.store(), storageOf(registry, target), {
        ...options,
        clock,
        name: session.url,
        startOver: isOn(call, 'start-over'),
        leaveOutDamaged: isOn(call, 'leave-out-damaged'),
      }),
    );
  } catch (error) {
    throw await explained(
      error,
      storageOf(registry, target),
      `${target} is incomplete: repeat the migration, which starts over`,
    );
  } finally {
    await registry.close();
  }
}

/** Writes of a running operator would be lost. Only operators with leader election are detected. */
async function warnAboutLeaders({ terminal }: Call, { registry, warn }: Session): Promise<void> {
  for (const { spec } of (await registry.resource(Lease).list()).items) {
    const { holderIdentity = '', renewTime } = spec;
    const sinceMs =
      renewTime === undefined ? Number.POSITIVE_INFINITY : terminal.clock.now() - (timeMsOf(renewTime) ?? 0);
    if (holderIdentity === '' || sinceMs > leaseMsOf(spec)) continue;
    warn(
      `"${visible(holderIdentity)}" uses this registry (its lease was renewed ${formatAge(sinceMs)} ago): stop it first, or its writes are not migrated`,
    );
  }
}
