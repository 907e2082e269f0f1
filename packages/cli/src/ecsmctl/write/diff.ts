/** `ecsmctl diff`: shows what apply would change, and with `--live` what the operator would do. */

import { type Call, type Run, UsageError, visibleLines } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { type ApiObject, type Kind, redactText } from '@ecsm/runtime';
import { paintOf } from '../../print/paint.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { livePlans, type PlannedService, planText } from '../shared/live-plan.ts';
import { type Document, readManifestFiles } from '../shared/manifests.ts';
import { checkOmitted } from '../shared/omitted-replicas.ts';
import { platformLink } from '../shared/platform-link.ts';
import { showsValues } from '../shared/secrets.ts';
import { type Session, withoutRegistry } from '../shared/session.ts';
import { findTarget, isOn, listItems, readTarget } from '../shared/targets.ts';
import { applyOne, FieldConflict } from './apply-one.ts';
import { rejectKustomize } from './arguments.ts';
import { withRegistryOrNone } from './dry-run.ts';
import { objectDiff } from './object-diff.ts';

const differs = 1;
const same = 0;

export const run: Run = async (call) => {
  rejectKustomize(call, 'diff');
  const isLive = isOn(call, 'live');
  const hasFiles = call.origin('filename') !== undefined;
  checkArguments(call, isLive, hasFiles);
  const link = isLive ? await platformLink(call) : undefined;
  try {
    const documents = hasFiles
      ? await readManifestFiles(call, await withoutRegistry(call), { mayOmitReplicas: true })
      : [];
    return await withRegistryOrNone(call, async (session) => {
      await checkOmitted(call, session, documents);
      let isDifferent = await showDiffs(call, session, documents);
      if (!link) return isDifferent ? differs : same;
      const services = hasFiles ? servicesIn(documents) : await servicesNamed(call, session);
      const showValues = showsValues(call, session);
      const plans = services.length === 0 ? [] : await livePlans(call, session, link, services, { showValues });
      for (const [index, service] of services.entries()) {
        const plan = plans[index];
        if (!plan) continue;
        isDifferent ||= plan.steps.length > 0;
        const text = planText(service, plan);
        call.terminal.out.write(visibleLines(showValues ? text : redactText(text)));
      }
      return isDifferent ? differs : same;
    });
  } finally {
    link?.transport.close();
  }
};

function checkArguments(call: Call, isLive: boolean, hasFiles: boolean): void {
  if (!isLive && !hasFiles) {
    throw new UsageError('diff requires -f FILE, or --live to show what the operator would do');
  }
  if (hasFiles && call.words.length > 0) throw new UsageError(`use names or -f, not both: "${call.words.join(' ')}"`);
  if (hasFiles && isOn(call, 'all-namespaces')) throw new UsageError('use -A or -f, not both');
  const unused = ['ecsm', 'header', 'tls-ca'].find((flag) => call.origin(flag) === `--${flag}`);
  if (!isLive && unused !== undefined) throw new UsageError(`--${unused} requires --live`);
}

/** Returns whether anything differs. */
async function showDiffs(call: Call, session: Session, documents: readonly Document[]): Promise<boolean> {
  const { out } = call.terminal;
  let isDifferent = false;
  const look = { paint: paintOf(out.isColoured), showValues: showsValues(call, session) };
  for (const document of documents) {
    const { kind, object: wanted } = document;
    const live = await findTarget(session, document);
    const object = await appliedObject(session, kind, wanted);
    const text = await objectDiff(live?.object, object, look);
    isDifferent ||= text !== '';
    out.write(text);
  }
  return isDifferent;
}

/** The result of apply. Fields of other managers are shown as if they were taken over, with a warning. */
async function appliedObject(
  { registry, warn }: Session,
  kind: Kind,
  wanted: Document['object'],
): Promise<ApiObject<unknown, unknown>> {
  try {
    return (await applyOne(registry, kind, wanted, { dryRun: true })).object;
  } catch (error) {
    if (!(error instanceof FieldConflict)) throw error;
    warn(error.message);
    return (await applyOne(registry, kind, wanted, { dryRun: true, force: true })).object;
  }
}

function servicesIn(documents: readonly Document[]): readonly PlannedService[] {
  return documents
    .filter(({ kind }) => kind.kind === ECSMService.kind && kind.apiVersion === ECSMService.apiVersion)
    .map(({ namespace, name, object }) => ({ namespace, name, wanted: object }));
}

/** The named services, or all services in the namespace. */
async function servicesNamed(call: Call, session: Session): Promise<readonly PlannedService[]> {
  const { kinds, objects } =
    call.words.length === 0 ? { kinds: [knownService(session)] } : parseResourceArgs(session, call.words);
  const other = kinds.find((kind) => kind !== knownService(session));
  if (other)
    throw new UsageError(`${other.plural} do not exist on the platform: --live supports only ${ECSMService.plural}`);
  if (!objects) {
    const items = await listItems(session, kinds);
    return items.map(({ object: { metadata } }) => ({ namespace: metadata.namespace, name: metadata.name }));
  }
  const { namespace } = session;
  for (const object of objects) await readTarget(session, { ...object, namespace });
  return objects.map(({ name }) => ({ namespace, name }));
}

function knownService({ kinds }: Session) {
  return kinds.get(ECSMService.apiVersion, ECSMService.kind);
}
