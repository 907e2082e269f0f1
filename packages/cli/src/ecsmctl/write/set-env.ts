/** `ecsmctl set env`: sets, removes and lists the environment variables of services. */
import { type Call, type Run, UsageError, visible } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { hidden } from '@ecsm/runtime';
import { fieldAt, patchAt } from '../shared/fields.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { showsValues } from '../shared/secrets.ts';
import { withSession } from '../shared/session.ts';
import { isOn, readTarget, type Target } from '../shared/targets.ts';
import { changeEach } from './change.ts';
import type { AnyObject } from './observe.ts';
import { selectedTargets } from './selected-targets.ts';

interface Variable {
  readonly name: string;
  readonly value: string;
}

const envPath = 'spec.template.env';

export const run: Run = async (call) => {
  const { words, changes } = splitWords(call.words);
  const chosen = { ...call, words };
  if (isOn(call, 'list')) {
    if (changes.size > 0) throw new UsageError('--list cannot be used with changes');
    return list(chosen);
  }
  if (changes.size === 0) throw new UsageError('specify the variables: NAME=VALUE to set one, NAME- to remove it');
  await changeEach(chosen, {
    command: 'set',
    past: 'env updated',
    patchFor: (target, object) => patchAt(envPath, changed(variablesOf(target, object), changes)),
  });
};

/** Kinds and names neither contain `=` nor end with `-`. */
function splitWords(all: readonly string[]) {
  const words: string[] = [];
  const changes = new Map<string, string | undefined>();
  for (const word of all) {
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    if (name === '') throw new UsageError(`"${word}" has no name: write NAME=VALUE, or NAME- to remove one`);
    if (name !== undefined) changes.set(name, value ?? '');
    else if (word.endsWith('-') && word.length > 1) changes.set(word.slice(0, -1), undefined);
    else words.push(word);
  }
  return { words, changes };
}

/** Variables keep their order, and new ones follow. Null removes the whole list. */
function changed(before: readonly Variable[], changes: ReadonlyMap<string, string | undefined>) {
  const kept = before
    .filter(({ name }) => !changes.has(name) || changes.get(name) !== undefined)
    .map(({ name, value }) => ({ name, value: changes.get(name) ?? value }));
  const known = new Set(before.map(({ name }) => name));
  const added = [...changes].flatMap(([name, value]) =>
    value === undefined || known.has(name) ? [] : [{ name, value }],
  );
  const all = [...kept, ...added];
  return all.length === 0 ? null : all;
}

function variablesOf({ kind }: Pick<Target, 'kind'>, object: AnyObject): readonly Variable[] {
  if (kind !== ECSMService) throw new UsageError(`${kind.plural} have no environment: only ${ECSMService.plural} have`);
  const env = fieldAt(object, envPath);
  return Array.isArray(env) ? env : [];
}

async function list(call: Call): Promise<void> {
  const { out } = call.terminal;
  await withSession(call, async (session) => {
    const isShown = showsValues(call, session);
    for (const target of await selectedTargets(call, session)) {
      const { object } = await readTarget(session, target);
      out.write(`# ${shortNameOf(target.kind, target.name)}\n`);
      for (const { name, value } of variablesOf(target, object)) {
        out.write(`${visible(`${name}=${isShown ? value : hidden}`)}\n`);
      }
    }
  });
}
