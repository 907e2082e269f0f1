/** Shared by label and annotate: `key=value` sets an entry, `key-` removes it. */

import { type Call, Failure, UsageError, visible } from '@ecsm/command-line';
import type { JsonValue, Kind } from '@ecsm/runtime';
import { shortNameOf } from '../shared/kinds.ts';
import { redactMark } from '../shared/secrets.ts';
import { withSession } from '../shared/session.ts';
import { isOn, type Target } from '../shared/targets.ts';
import { changeEach } from './change.ts';
import type { AnyObject } from './observe.ts';
import { selectedTargets } from './selected-targets.ts';

interface MetadataField {
  readonly command: 'label' | 'annotate';
  readonly field: 'labels' | 'annotations';
  readonly noun: 'label' | 'annotation';
  readonly past: 'labeled' | 'annotated';
}

/** The new value of each key, or null to remove it. */
type MetadataChanges = ReadonlyMap<string, string | null>;

export async function changeMetadata(call: Call, mark: MetadataField): Promise<void> {
  const { words, changes } = splitWords(call.words, mark);
  const chosen = { ...call, words };
  if (isOn(call, 'list')) {
    if (changes.size > 0) throw new UsageError(`--list cannot be used with changes`);
    return listMetadata(chosen, mark);
  }
  if (changes.size === 0) throw new UsageError(`specify the ${mark.noun}: KEY=VALUE to set it, KEY- to remove it`);
  const overwrites = isOn(call, 'overwrite');
  const removesOnly = [...changes.values()].every((value) => value === null);
  const past = removesOnly ? `un${mark.past}` : mark.past;
  await changeEach(chosen, {
    command: mark.command,
    past,
    unchanged: `not ${mark.past}`,
    patchFor: (target, object) => {
      checkForm(target.kind, changes, mark);
      if (!overwrites) rejectOverwrite(target, object, changes, mark);
      const fields: JsonValue = Object.fromEntries(changes);
      return { metadata: { [mark.field]: fields } };
    },
  });
}

/** Kinds and names neither contain `=` nor end with `-`. Throws `UsageError`. */
function splitWords(
  all: readonly string[],
  { noun }: MetadataField,
): { readonly words: readonly string[]; readonly changes: MetadataChanges } {
  const words: string[] = [];
  const changes = new Map<string, string | null>();
  for (const word of all) {
    const equals = word.indexOf('=');
    if (equals === -1 && !word.endsWith('-')) {
      words.push(word);
      continue;
    }
    const key = equals === -1 ? word.slice(0, -1) : word.slice(0, equals);
    if (key === '') throw new UsageError(`"${word}" has no key: write KEY=VALUE, or KEY- to remove one`);
    if (changes.has(key)) throw new UsageError(`the ${noun} "${key}" is set twice: "${word}"`);
    changes.set(key, equals === -1 ? null : word.slice(equals + 1));
  }
  return { words, changes };
}

/** An invalid label is a usage error for all objects. */
function checkForm(kind: Kind, changes: MetadataChanges, { field }: MetadataField): void {
  const { apiVersion } = kind;
  const added = Object.fromEntries([...changes].filter(([, value]) => value !== null));
  const metadata = { name: 'any', namespace: 'any', [field]: added };
  const problem = kind
    .validate({ apiVersion, kind: kind.kind, metadata, spec: {} })
    .find(({ path }) => path.startsWith(`metadata.${field}`));
  if (problem) throw new UsageError(`${problem.path.slice('metadata.'.length)}: ${problem.message}`);
}

function rejectOverwrite(
  { kind, name }: Target,
  object: AnyObject,
  changes: MetadataChanges,
  mark: MetadataField,
): void {
  const current = object.metadata[mark.field] ?? {};
  for (const [key, value] of changes) {
    const before = Object.hasOwn(current, key) ? current[key] : undefined;
    if (value === null || before === undefined || before === value) continue;
    const shown = `${key}=${redactMark(key, before)}`;
    throw new Failure(`${shortNameOf(kind, name)} already has the ${mark.noun} ${shown}: use --overwrite to change it`);
  }
}

async function listMetadata(call: Call, { field, noun }: MetadataField): Promise<void> {
  const { out } = call.terminal;
  await withSession(call, async (session) => {
    const targets = await selectedTargets(call, session);
    for (const { kind, namespace, name } of targets) {
      const { metadata } = await session.registry.resource(kind).get(name, { namespace });
      const marks = metadata[field];
      const margin = targets.length > 1 ? '  ' : '';
      if (targets.length > 1) out.write(`${shortNameOf(kind, name)}\n`);
      for (const [key, value] of Object.entries(marks ?? {})) {
        out.write(`${margin}${visible(`${key}=${redactMark(key, value)}`)}\n`);
      }
      if (marks === undefined) call.terminal.err.write(`${shortNameOf(kind, name)} has no ${noun}s\n`);
    }
  });
}
