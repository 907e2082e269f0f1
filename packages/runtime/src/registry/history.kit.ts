/**
 * Random histories of several clients on one registry, and the judge of them.
 *
 * Every operation is written down with when it was called and when it answered. At the end the store's own log says in
 * which order the writes took effect: each revision is a point in time. The judge looks for a point within each
 * operation's call at which its answer was the truth; if every operation has one, the history is linearizable.
 */
import { Widget } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { expect } from 'vitest';
import { isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import type { Commit, Revision, Store } from '../store/contract.ts';
import { EmbeddedRegistry } from './embedded.ts';

type WidgetObject = ApiObject<{ readonly size: number }, { readonly phase?: string }>;

type Operation =
  | { readonly type: 'get' | 'delete'; readonly name: string }
  | { readonly type: 'create' | 'update' | 'apply'; readonly name: string; readonly size: number }
  | { readonly type: 'status'; readonly name: string; readonly phase: string }
  | { readonly type: 'list'; readonly limit: number }
  | { readonly type: 'pause'; readonly delayMs: number }
  /** The client dies without hearing the answer to what it is doing; another takes its place, knowing nothing. */
  | { readonly type: 'crash' };

const name = fc.constantFrom('a', 'b', 'c');
const size = fc.integer({ min: 0, max: 3 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('get' as const), name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('create' as const), name, size }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('update' as const), name, size }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('apply' as const), name, size }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('status' as const), name, phase: fc.constantFrom('x', 'y') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('list' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pause' as const), delayMs: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash' as const) }) },
);
/** What each client does, one thing after another. */
export const scripts = fc.array(fc.array(operation, { minLength: 3, maxLength: 15 }), { minLength: 2, maxLength: 4 });

type Answer =
  | { readonly is: 'object'; readonly object: WidgetObject }
  | { readonly is: 'objects'; readonly resourceVersion: string; readonly objects: readonly WidgetObject[] }
  | { readonly is: 'deleted'; readonly object: WidgetObject | undefined }
  | { readonly is: 'refused'; readonly code: string }
  | { readonly is: 'unknown' };

interface Call {
  readonly operation: Operation;
  /** What an update was based on. */
  readonly basis?: WidgetObject;
  readonly calledAt: number;
  answeredAt: number;
  answer: Answer;
}

/** Runs the scripts at once, each on a client of its own. Every client also watches from the start. */
export async function runHistory(
  connect: () => Promise<Store>,
  clientScripts: readonly (readonly Operation[])[],
): Promise<Call[]> {
  const calls: Call[] = [];
  let time = 0;

  async function client(script: readonly Operation[]): Promise<void> {
    let registry = new EmbeddedRegistry({ store: await connect(), kinds: [Widget] });
    let known = new Map<string, WidgetObject>();
    let underWay: Promise<void> = Promise.resolve();
    for (const [index, operation] of script.entries()) {
      if (operation.type === 'pause') {
        await new Promise((resolve) => setTimeout(resolve, operation.delayMs));
        continue;
      }
      if (operation.type === 'crash') {
        registry = new EmbeddedRegistry({ store: await connect(), kinds: [Widget] });
        known = new Map();
        continue;
      }
      const basis = 'name' in operation ? known.get(operation.name) : undefined;
      if (operation.type === 'update' && !basis) continue;
      const call: Call = {
        operation,
        ...(basis && { basis }),
        calledAt: ++time,
        answeredAt: Number.POSITIVE_INFINITY,
        answer: { is: 'unknown' },
      };
      calls.push(call);
      const answering = perform(registry, operation, basis).then((answer) => {
        call.answer = answer;
        call.answeredAt = ++time;
        if (answer.is === 'object') known.set(answer.object.metadata.name, answer.object);
      });
      // Before a crash the client does not wait, and nobody hears the answer.
      if (script[index + 1]?.type === 'crash') {
        const abandoned = call;
        underWay = Promise.all([
          underWay,
          answering.then(() => {
            abandoned.answer = { is: 'unknown' };
            abandoned.answeredAt = Number.POSITIVE_INFINITY;
          }),
        ]).then(() => undefined);
      } else await answering;
    }
    await underWay;
  }
  await Promise.all(clientScripts.map(client));
  return calls;
}

async function perform(
  registry: EmbeddedRegistry,
  operation: Operation,
  basis: WidgetObject | undefined,
): Promise<Answer> {
  const widgets = registry.resource(Widget);
  try {
    switch (operation.type) {
      case 'get':
        return { is: 'object', object: await widgets.get(operation.name) };
      case 'create':
        return {
          is: 'object',
          object: await widgets.create({ metadata: { name: operation.name }, spec: { size: operation.size } }),
        };
      case 'update':
        return {
          is: 'object',
          object: await widgets.update({ ...(basis as WidgetObject), spec: { size: operation.size } }),
        };
      case 'apply':
        return {
          is: 'object',
          object: (
            await widgets.apply({ metadata: { name: operation.name }, spec: { size: operation.size } }, { force: true })
          ).object,
        };
      case 'status':
        return {
          is: 'object',
          object: await widgets.updateStatus({
            metadata: { name: operation.name },
            status: { phase: operation.phase },
          }),
        };
      case 'delete':
        return { is: 'deleted', object: await widgets.delete(operation.name) };
      case 'list':
        return await listAll(registry, operation.limit);
      default:
        throw new Error(`${operation.type} is not a call`);
    }
  } catch (error) {
    if (isApiError(error)) return { is: 'refused', code: error.code };
    throw error;
  }
}

async function listAll(registry: EmbeddedRegistry, limit: number): Promise<Answer> {
  const objects: WidgetObject[] = [];
  for (let token: string | undefined; ; ) {
    const page = await registry.resource(Widget).list({ limit, ...(token === undefined ? {} : { continue: token }) });
    objects.push(...page.items);
    token = page.continue;
    if (token === undefined) return { is: 'objects', resourceVersion: page.resourceVersion, objects };
  }
}

/** One version of one object, and the span of revisions during which it was the newest. */
interface Span {
  readonly from: Revision;
  to: Revision;
  readonly object: WidgetObject | undefined;
}

export function judge(calls: readonly Call[], log: readonly Commit[], start: Revision): void {
  const spans = spansOf(log, start);
  const newest = log.at(-1)?.revision ?? start;
  const writes = log.flatMap(({ revision, changes }) =>
    changes.map(({ key }) => ({ revision, calledAt: earliestWriter(calls, nameIn(key), revision, spans, start) })),
  );
  for (const call of calls) {
    if (call.answer.is === 'unknown') continue;
    const before = calls.filter((other) => other.answeredAt < call.calledAt);
    const earliest = Math.max(start, ...before.map((other) => revisionSeen(other, spans, start)));
    const later = writes.filter(({ calledAt }) => calledAt > call.answeredAt).map(({ revision }) => revision - 1);
    const latest = Math.min(newest, ...later);
    const explained = isExplained(call, spans, earliest, latest);
    expect(explained, `no point in [${earliest}, ${latest}] explains ${JSON.stringify(call)}`).toBe(true);
  }
}

/** When the call that made a change can have begun at the earliest: whoever answered with it, or died over that name. */
function earliestWriter(
  calls: readonly Call[],
  name: string,
  revision: Revision,
  spans: Spans,
  start: Revision,
): number {
  const possible = calls.filter(
    ({ operation, answer }, index) =>
      'name' in operation &&
      operation.name === name &&
      operation.type !== 'get' &&
      (answer.is === 'unknown' || revisionSeen(calls[index] as Call, spans, start) === revision),
  );
  expect(possible, `nobody asked for the change of ${name} at revision ${revision}`).not.toEqual([]);
  return Math.min(...possible.map((call) => call.calledAt));
}

/** The latest revision that a call proves to have existed by the time it answered. */
function revisionSeen({ operation, answer }: Call, spans: Spans, start: Revision): Revision {
  switch (answer.is) {
    case 'object':
      return Number(answer.object.metadata.resourceVersion);
    case 'objects':
      return Number(answer.resourceVersion);
    case 'deleted':
      return ('name' in operation && deletionOf(spans, operation.name, answer.object)?.from) || start;
    default:
      return start;
  }
}

/** The absence that follows directly on a version of an object, if that is what came next. */
function deletionOf(spans: Spans, name: string, object: WidgetObject | undefined): Span | undefined {
  const history = spans.get(name) ?? [];
  const version = object?.metadata.resourceVersion;
  const index = history.findIndex((span) => version !== undefined && span.object?.metadata.resourceVersion === version);
  const next = index < 0 ? undefined : history[index + 1];
  return next?.object === undefined ? next : undefined;
}

const nameIn = (key: string) => key.split('/').at(-1) ?? '';

type Spans = ReadonlyMap<string, readonly Span[]>;

function spansOf(log: readonly Commit[], start: Revision): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  for (const { revision, changes } of log) {
    for (const change of changes) {
      const key = nameIn(change.key);
      const history = spans.get(key) ?? [{ from: start, to: Number.POSITIVE_INFINITY, object: undefined }];
      const last = history.at(-1);
      if (last) last.to = revision - 1;
      const object = change.type === 'put' ? JSON.parse(new TextDecoder().decode(change.value)) : undefined;
      if (object) object.metadata.resourceVersion = String(revision);
      history.push({ from: revision, to: Number.POSITIVE_INFINITY, object });
      spans.set(key, history);
    }
  }
  return spans;
}

const always = [{ from: 0, to: Number.POSITIVE_INFINITY, object: undefined }];

function spanOf(spans: Spans, key: string, revision: Revision): Span | undefined {
  return (spans.get(key) ?? always).find((span) => span.from <= revision && revision <= span.to);
}

/** Whether some revision between the two explains the answer. */
function isExplained(call: Call, spans: Spans, earliest: Revision, latest: Revision): boolean {
  const { operation, answer, basis } = call;
  if (answer.is === 'objects') {
    const at = Number(answer.resourceVersion);
    const present = [...spans.keys()].sort().flatMap((key) => spanOf(spans, key, at)?.object ?? []);
    expect(answer.objects).toEqual(present);
    return earliest <= at && at <= latest;
  }
  if (!('name' in operation)) return false;
  const candidates = (spans.get(operation.name) ?? always).filter((span) => span.to >= earliest && span.from <= latest);
  switch (answer.is) {
    case 'refused':
      if (answer.code === 'NotFound') return candidates.some((span) => span.object === undefined);
      if (answer.code === 'AlreadyExists') return candidates.some((span) => span.object !== undefined);
      // An update conflicts when the object is not, at some point, the one it was based on.
      return (
        answer.code === 'Conflict' &&
        candidates.some((span) => span.object?.metadata.resourceVersion !== basis?.metadata.resourceVersion)
      );
    case 'deleted': {
      const { object } = answer;
      if (object === undefined) return candidates.some((span) => span.object === undefined);
      const deletion = deletionOf(spans, operation.name, object);
      return deletion !== undefined && deletion.from > earliest && deletion.from <= latest;
    }
    case 'object': {
      const found = candidates.find(
        (span) => span.object?.metadata.resourceVersion === answer.object.metadata.resourceVersion,
      );
      if (!found?.object) return false;
      expect(answer.object).toEqual(found.object);
      return checkRules(call, found.object, spanOf(spans, operation.name, found.from - 1)?.object);
    }
    default:
      return false;
  }
}

/** What the registry's rules say about a version and the one before it. */
function checkRules({ operation, basis }: Call, after: WidgetObject, before: WidgetObject | undefined): boolean {
  if (operation.type === 'update' && after.metadata.resourceVersion !== basis?.metadata.resourceVersion) {
    expect(before?.metadata.resourceVersion).toBe(basis?.metadata.resourceVersion);
    expect(after.spec.size).toBe(operation.size);
  }
  if (operation.type === 'status') expect(after.status?.phase).toBe(operation.phase);
  if (operation.type === 'apply') expect(after.spec.size).toBe(operation.size);
  if (!before || operation.type === 'get') return true;
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.generation).toBe(before.metadata.generation + (before.spec.size === after.spec.size ? 0 : 1));
  return true;
}
