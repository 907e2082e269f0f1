/** Selects the services of a rollout command. */

import { type Call, Failure, Interrupted, plural, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { isApiError, type Kind } from '@ecsm/runtime';
import { parseResourceArgs, shortNameOf } from '../shared/kinds.ts';
import type { Session } from '../shared/session.ts';
import { missing, type Target, targetsOf } from '../shared/targets.ts';
import { withExistingRegistry } from '../write/dry-run.ts';

/** Reads the selected services. Throws `UsageError` for a kind without rollouts, `Failure` if nothing is found. */
export async function servicesOf(call: Call, session: Session): Promise<readonly ECSMService[]> {
  const hasFiles = call.origin('filename') !== undefined;
  const kinds = hasFiles ? [] : kindsOf(call, session);
  for (const { kind, plural } of kinds) {
    if (kind !== ECSMService.kind) throw new UsageError(`${plural} have no rollouts: name an ecsmservice`);
  }
  const targets = await targetsOf(call, session);
  const other = targets.find(({ kind }) => kind.kind !== ECSMService.kind);
  if (other) throw new Failure(`${shortNameOf(other.kind, other.name)} has no rollouts: name an ecsmservice`);
  if (targets.length === 0) throw nothingFound(call, session);
  const services: ECSMService[] = [];
  for (const target of targets) services.push(await readService(session, target));
  return services;
}

/**
 * Changes the selected services, one after the other. An interruption ends it between two of them; a closed output
 * (`| head`) does not.
 */
export async function changeServices(
  call: Call,
  change: (session: Session, service: ECSMService) => Promise<void>,
): Promise<void> {
  const { err, signal } = call.terminal;
  await withExistingRegistry(call, async (session) => {
    const services = await servicesOf(call, session);
    for (const [index, service] of services.entries()) {
      if (signal.aborted && signal.reason instanceof Interrupted) {
        err.write(`interrupted: ${index} of ${plural(services.length, 'service')} done\n`);
        throw signal.reason;
      }
      await change(session, service);
    }
  });
}

/** Adds a hint for a name without a kind. */
function kindsOf({ words }: Call, session: Session): readonly Kind[] {
  try {
    return parseResourceArgs(session, words).kinds;
  } catch (error) {
    const [word = '', ...others] = words;
    if (!(error instanceof UsageError) || others.length > 0 || !/^[a-z0-9-]+$/.test(word)) throw error;
    throw new UsageError(`${error.message} If it is the name of a service, write service/${word}`);
  }
}

/** The error if `-l` or `--all` finds nothing. */
export function nothingFound(call: Call, session: Session): Failure {
  const kinds = parseResourceArgs(session, call.words).kinds.map(({ plural }) => plural);
  const selector = call.flag('selector');
  const labels = selector === undefined ? '' : ` with "${selector}"`;
  const where = session.isAllNamespaces ? 'any namespace' : `the namespace "${session.namespace}"`;
  return new Failure(`there are no ${kinds.join(' or ')}${labels} in ${where}`);
}

export async function readService(session: Session, target: Target): Promise<ECSMService> {
  const { namespace, name } = target;
  try {
    return await session.registry.resource(ECSMService).get(name, { namespace });
  } catch (error) {
    throw isApiError(error, 'NotFound') ? await missing(session, target) : error;
  }
}

export function targetOf({ metadata: { namespace, name } }: ECSMService): Target {
  return { kind: ECSMService, namespace, name };
}

/** `ecsmservice/telemetry`. */
export function titleOf({ metadata: { name } }: ECSMService): string {
  return shortNameOf(ECSMService, name);
}

/** Throws `Failure` for a service that is being deleted. */
export function rejectDeleted(service: ECSMService): void {
  if (service.metadata.deletionTimestamp !== undefined) throw new Failure(`${titleOf(service)} is being deleted`);
}

/** The command that resumes a paused service. */
export function resumeLine({ metadata: { name, namespace } }: ECSMService): string {
  return `ecsmctl rollout resume ${ECSMService.singular}/${name}${namespace === 'default' ? '' : ` -n ${namespace}`}`;
}
