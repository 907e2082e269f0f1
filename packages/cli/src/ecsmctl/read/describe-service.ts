/** The part of `describe` that is specific to services: status, platform service and revisions. */

import { duration, plural } from '@ecsm/command-line';
import { defaultPlanSettings, ECSMService, type HealingReason, ServiceRevision, waitLeftMs } from '@ecsm/operator';
import { type ApiObject, findCondition, redactText, timeMsOf } from '@ecsm/runtime';
import type { Paint } from '../../print/paint.ts';
import type { Cell } from '../../print/table.ts';
import { ageOf, none } from '../shared/columns.ts';
import { observedMsOf } from '../shared/old-numbers.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';
import { type Fact, factsText, sectionText, tableSection } from './describe-text.ts';

export interface DescribeContext {
  readonly paint: Paint;
  readonly nowMs: number;
  /** Whether the status was read from the platform now. */
  readonly isLive?: boolean;
}

/** Returns undefined for other kinds. */
export async function describeService(
  session: Session,
  { kind, object }: Item,
  { paint, nowMs, isLive = false }: DescribeContext,
): Promise<string | undefined> {
  if (kind !== ECSMService || !isService(object)) return undefined;
  const observedMs = isLive ? nowMs : await observedMsOf(session.registry, object.status);
  const facts = factsText(statusFacts(object, nowMs, observedText(object, observedMs, nowMs, isLive)), paint);
  return [
    sectionText('Status', facts, paint),
    instancesText(object, { paint, nowMs }),
    dependenciesText(object, paint),
    await revisionsText(session, object, { paint, nowMs }),
  ].join('');
}

/** The registry validates every object against the schema of its kind, so comparing the kind is enough. */
function isService(object: ApiObject<unknown, unknown>): object is ECSMService {
  return object.kind === ECSMService.kind && object.apiVersion === ECSMService.apiVersion;
}

type Status = NonNullable<ECSMService['status']>;

/** `40 s ago`, and whether the latest change is included. */
function observedText(
  { metadata, status }: ECSMService,
  observedMs: number | undefined,
  nowMs: number,
  isLive: boolean,
): string {
  if (!status) return 'no: the operator has not observed the service yet';
  const { observedGeneration } = status;
  const isBehind = !isLive && observedGeneration !== undefined && observedGeneration < metadata.generation;
  const when = isLive
    ? 'now, on the platform'
    : observedMs === undefined
      ? ''
      : `${duration(Math.max(nowMs - observedMs, 0))} ago`;
  const behind = isBehind
    ? `generation ${observedGeneration}: the operator has not observed the latest change yet`
    : '';
  return [when, behind].filter((text) => text !== '').join(', ');
}

function statusFacts({ spec, status }: ECSMService, nowMs: number, observed: string): readonly Fact[] {
  if (!status) return [['Observed', observed]];
  const { type, replicas = 0, nodes = [] } = spec.deploymentStrategy;
  const wanted = type === 'Static' ? nodes.length : replicas;
  return [
    [
      'Instances',
      `${wanted} desired, ${status.replicas} total, ${status.readyReplicas} ready, ${status.updatedReplicas} updated, ${status.unavailableReplicas} unavailable`,
    ],
    ['Revision', revisionText(status)],
    ['On the platform', platformText(status)],
    ['Observed', observed],
    ['Healing', healingText(status, nowMs)],
    ['Priority class', spec.priorityClassName ?? ''],
    ['Preempted', preemptedText(status)],
    ['Unschedulable', unschedulableText(status)],
    ['Lost nodes', status.lostNodes?.map(({ name, sinceTime }) => `${name}, for ${ageOf(sinceTime, nowMs)}`) ?? ''],
  ];
}

function preemptedText({ preempted }: Status): string {
  if (preempted === undefined) return '';
  const held = `${plural(preempted.replicas, 'instance')} held back`;
  return preempted.by === undefined ? held : `${held} for ${preempted.by}`;
}

function unschedulableText({ conditions }: Status): string {
  const found = findCondition(conditions, 'Unschedulable');
  return found?.status === 'True' ? found.message : '';
}

function revisionText({ currentRevision, updateRevision }: Status): string {
  if (updateRevision === undefined || updateRevision === currentRevision) return currentRevision ?? none;
  return currentRevision === undefined
    ? `${updateRevision} is being rolled out`
    : `${currentRevision}, ${updateRevision} is being rolled out`;
}

function platformText({ platformName, underlyingServiceID }: Status): string {
  if (platformName === undefined) return none;
  return underlyingServiceID === undefined ? platformName : `${platformName} (id ${underlyingServiceID})`;
}

const healingReasons: readonly HealingReason[] = ['DeploymentFailed', 'InstanceStopped', 'InstancePaused', 'Differs'];

/** Uses the default backoff of the operator, which no flag changes. */
function healingText({ healing }: Status, nowMs: number): string {
  if (!healing) return '';
  const { reason: text, attempts, lastTime } = healing;
  const reason = healingReasons.find((one) => one === text);
  const tried =
    attempts === 0 ? 'no attempts yet' : `${plural(attempts, 'attempt')}, the last ${ageOf(lastTime, nowMs)} ago`;
  if (reason === undefined || timeMsOf(lastTime) === undefined) return `${text}: ${tried}`;
  const leftMs = waitLeftMs(healing, reason, nowMs, defaultPlanSettings);
  return `${text}: ${tried}, next retry ${leftMs === 0 ? 'is due' : `in ${duration(leftMs)}`}`;
}

const instanceStyles: Readonly<Record<string, 'good' | 'bad' | 'warn'>> = { Ready: 'good', Failed: 'bad' };
/** An instance that was restarted this often may run only until its next crash. */
const restartsMin = 3;

/** As the operator last observed them. */
function instancesText({ status }: ECSMService, { paint, nowMs }: DescribeContext): string {
  const instances = status?.instances ?? [];
  const hasMessages = instances.some(({ message }) => message !== undefined);
  const rows = instances.map(({ name, nodeName, state, restarts, startedTime, message }): readonly Cell[] => [
    name,
    nodeName,
    { text: state, style: state === 'Ready' && restarts >= restartsMin ? 'warn' : (instanceStyles[state] ?? 'warn') },
    String(restarts),
    startedTime === undefined ? none : ageOf(startedTime, nowMs),
    ...(hasMessages ? [message === undefined ? '' : redactText(message)] : []),
  ]);
  const names = ['NAME', 'NODE', 'STATE', 'RESTARTS', 'AGE', ...(hasMessages ? ['MESSAGE'] : [])];
  const columns = names.map((name) => ({ name, ...(name === 'RESTARTS' && { align: 'right' as const }) }));
  return rows.length === 0 ? '' : tableSection('Instances', columns, rows, paint);
}

/** The reason why one is not met is in the message of the condition DependenciesReady. */
function dependenciesText({ metadata, spec, status }: ECSMService, paint: Paint): string {
  const states = new Map(status?.dependencies?.map(({ name, state }) => [name, state]));
  const rows = (spec.dependsOn ?? []).map((one): readonly Cell[] => {
    const name = `${one.namespace ?? metadata.namespace}/${one.name}`;
    const state = states.get(name);
    const shown: Cell = state ? { text: state, style: state === 'Met' ? 'good' : 'warn' } : 'not observed yet';
    return [name, one.condition, one.onLost, shown];
  });
  const columns = ['NAME', 'CONDITION', 'ON LOST', 'STATE'].map((name) => ({ name }));
  return rows.length === 0 ? '' : tableSection('Dependencies', columns, rows, paint);
}

async function revisionsText(
  { registry, warn }: Session,
  { metadata, status }: ECSMService,
  { paint, nowMs }: DescribeContext,
): Promise<string> {
  const { items, problems } = await registry.resource(ServiceRevision).list({ namespace: metadata.namespace });
  for (const { key, reason } of problems) warn(`${key} cannot be read: ${reason}`);
  const revisions = items
    .filter((revision) => revision.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
    .sort((one, other) => other.spec.number - one.spec.number);
  const rows = revisions.map((revision) => [
    String(revision.spec.number),
    revision.spec.hash,
    ServiceRevision.columns.find(({ name }) => name === 'IMAGE')?.value(revision) || none,
    ageOf(revision.metadata.creationTimestamp, nowMs),
    revision.spec.hash === status?.currentRevision ? 'current' : '',
  ]);
  const columns = [
    { name: 'REVISION', align: 'right' as const },
    { name: 'HASH' },
    { name: 'IMAGE' },
    { name: 'AGE' },
    { name: '' },
  ];
  return rows.length === 0 ? '' : tableSection('Revisions', columns, rows, paint);
}
