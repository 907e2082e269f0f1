/** `describe`: all details of an object: spec, status, conditions, revisions and events. */

import { type Call, type Run, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import {
  type ApiObject,
  type Condition,
  countOf,
  Event,
  type Kind,
  lastSeenOf,
  redactNamed,
  redactText,
  setCondition,
  timestampAt,
} from '@ecsm/runtime';
import { type Paint, paintOf } from '../../print/paint.ts';
import type { Cell } from '../../print/table.ts';
import { ageOf, none } from '../shared/columns.ts';
import { conditionsOf, fieldAt } from '../shared/fields.ts';
import { platformFlags } from '../shared/flags.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { warnAboutOldNumbers } from '../shared/old-numbers.ts';
import { redactMark, redactObject, showsValues } from '../shared/secrets.ts';
import { knownKinds, type Session, withSession } from '../shared/session.ts';
import { type Item, isOn, listItems, objectsOf, selectionOf } from '../shared/targets.ts';
import { describeHpa } from './describe-hpa.ts';
import { describeService } from './describe-service.ts';
import { type Fact, factsText, tableSection, yamlSection } from './describe-text.ts';
import { inOrder } from './events.ts';

export const run: Run = async (call) => {
  // Reports invalid arguments before the registry is opened.
  if (call.origin('filename') === undefined) parseResourceArgs({ kinds: knownKinds }, call.words);
  const isLive = isOn(call, 'live');
  const unused = platformFlags.find(({ name }) => call.origin(name) === `--${name}`);
  if (!isLive && unused) throw new UsageError(`--${unused.name} requires --live`);
  return withSession(call, async (session) => {
    const stored = await itemsOf(call, session);
    const items = isLive ? await readLive(call, session, stored) : stored;
    if (items.length === 0) {
      const where = session.isAllNamespaces ? '' : ` in ${session.namespace} namespace`;
      call.terminal.err.write(`No resources found${where}.\n`);
    }
    const { out } = call.terminal;
    for (const [index, item] of items.entries()) {
      out.write(`${index === 0 ? '' : '\n\n'}${await describe(call, session, item, isLive)}`);
      await out.drained();
    }
    if (!isLive) await warnAboutOldNumbers(session, items, call.terminal);
  });
};

/** A kind without names selects all its objects. */
async function itemsOf(call: Call, session: Session): Promise<readonly Item[]> {
  if (call.origin('filename') !== undefined) return objectsOf(call, session);
  const { kinds, objects } = parseResourceArgs(session, call.words);
  return objects ? objectsOf(call, session) : listItems(session, kinds, selectionOf(call, kinds));
}

/** Services with the status that the operator would write now. */
async function readLive(call: Call, session: Session, items: readonly Item[]): Promise<readonly Item[]> {
  const services = items.filter(({ kind }) => kind === ECSMService);
  if (services.length === 0) return items;
  const { platformLink } = await import('../shared/platform-link.ts');
  const { livePlans } = await import('../shared/live-plan.ts');
  const link = await platformLink(call);
  try {
    const plans = await livePlans(
      call,
      session,
      link,
      services.map(({ object: { metadata } }) => metadata),
      { showValues: false },
    );
    const now = timestampAt(call.terminal.clock.now());
    const reachable = {
      type: 'PlatformReachable',
      status: 'True',
      reason: 'Reachable',
      message: 'the platform responds',
    } as const;
    return items.map((item) => {
      const plan = plans[services.indexOf(item)];
      if (plan === undefined) return item;
      const before = conditionsOf(item.object.status);
      const conditions = [...plan.conditions, reachable].reduce((list, one) => setCondition(list, one, now), before);
      return { ...item, object: { ...item.object, status: { ...plan.status, conditions } } };
    });
  } finally {
    link.transport.close();
  }
}

async function describe(call: Call, session: Session, item: Item, isLive: boolean): Promise<string> {
  const { out, clock } = call.terminal;
  const paint = paintOf(out.isColoured);
  const nowMs = clock.now();
  const { object } = item;
  const shown = showsValues(call, session) ? object : redactObject(object);
  const own = describeHpa(item, { paint, nowMs }) ?? (await describeService(session, item, { paint, nowMs, isLive }));
  return [
    factsText(metadataFacts(item, nowMs), paint),
    await yamlSection('Spec', fieldAt(shown, 'spec'), paint),
    await yamlSection('Fields', fieldsIn(item.kind, shown), paint),
    own ?? (await yamlSection('Status', withoutConditions(fieldAt(shown, 'status')), paint)),
    conditionsText(object, paint, nowMs),
    isOn(call, 'no-events') ? '' : await eventsText(session, object, paint, nowMs),
  ].join('');
}

function metadataFacts({ kind, object }: Item, nowMs: number): readonly Fact[] {
  const { name, namespace, labels, annotations, ownerReferences, creationTimestamp, generation, uid, ...rest } =
    object.metadata;
  const { deletionTimestamp, finalizers = [] } = rest;
  const since = (time: string) => `${time} (${ageOf(time, nowMs)} ago)`;
  const pending = finalizers.length === 0 ? '' : `, waiting for ${finalizers.join(', ')}`;
  return [
    ['Name', name],
    // A cluster-scoped object has none, contrary to its type.
    ['Namespace', namespace ?? ''],
    ['Kind', `${kind.kind} (${kind.apiVersion})`],
    ['Labels', Object.entries(labels ?? {}).map(([key, value]) => `${key}=${redactNamed(key, value)}`)],
    ['Annotations', Object.entries(annotations ?? {}).map(([key, value]) => `${key}: ${redactMark(key, value)}`)],
    ['Owned by', ownerReferences?.map((owner) => `${owner.kind}/${owner.name}`) ?? ''],
    ['Created', since(creationTimestamp)],
    ['Being deleted', deletionTimestamp === undefined ? '' : `${since(deletionTimestamp)}${pending}`],
    ['Generation', String(generation)],
    ['UID', uid],
  ];
}

/** The content of an object of a kind without a spec. */
function fieldsIn({ fields }: Kind, shown: unknown): unknown {
  if (!fields || typeof shown !== 'object' || shown === null) return undefined;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => name in fields.properties));
}

function withoutConditions(status: unknown): unknown {
  if (typeof status !== 'object' || status === null || !('conditions' in status)) return status;
  const { conditions: _, ...rest } = status;
  return rest;
}

/** The conditions of any kind that has some. */
function conditionsText({ status }: ApiObject<unknown, unknown>, paint: Paint, nowMs: number): string {
  if (typeof status !== 'object' || status === null || !('conditions' in status)) return '';
  const { conditions } = status;
  const rows = (Array.isArray(conditions) ? conditions : []).filter(isCondition).map((condition): readonly Cell[] => [
    condition.type,
    { text: condition.status, style: lookOf(condition) },
    ageOf(condition.lastTransitionTime, nowMs),
    condition.reason,
    // It may contain what the platform has reported.
    redactText(condition.message),
  ]);
  const columns = ['TYPE', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'].map((name) => ({ name }));
  return tableSection('Conditions', columns, rows, paint);
}

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && 'type' in value && 'lastTransitionTime' in value;
}

/** Conditions for which True is bad. */
const badConditions = ['Degraded', 'Preempted', 'Unschedulable', 'ScalingLimited'];

function lookOf({ type, status }: Condition): 'good' | 'bad' | 'warn' {
  if (status === 'Unknown') return 'warn';
  return (status === 'True') === !badConditions.includes(type) ? 'good' : 'bad';
}

/** Selects events by uid, because an earlier object of the same name has other events. */
async function eventsText(
  { registry, warn }: Session,
  { metadata }: ApiObject<unknown, unknown>,
  paint: Paint,
  nowMs: number,
): Promise<string> {
  const fieldSelector = `involvedObject.uid=${metadata.uid}`;
  const { items, problems } = await registry.resource(Event).list({ namespace: metadata.namespace, fieldSelector });
  for (const { key, reason } of problems) warn(`${key} cannot be read: ${reason}`);
  const rows = inOrder(registry, items).map((event): readonly Cell[] => {
    const { type = none, reason = none, message = '' } = Event.fieldsOf(event);
    return [
      ageOf(lastSeenOf(event), nowMs),
      type === 'Warning' ? { text: type, style: 'warn' } : type,
      reason,
      String(countOf(event)),
      redactText(message),
    ];
  });
  const columns = ['LAST SEEN', 'TYPE', 'REASON', 'COUNT', 'MESSAGE'].map((name) => ({ name }));
  return tableSection('Events', columns, rows, paint);
}
