/** `ecsmctl scale`: sets the number of instances. */

import { type Call, Failure, plural, type Run, UsageError } from '@ecsm/command-line';
import { fieldAt, patchAt } from '../shared/fields.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { knownKinds } from '../shared/session.ts';
import { flagIfSet, type Target } from '../shared/targets.ts';
import { autoscalingWarning } from './autoscaled-by.ts';
import { changeEach } from './change.ts';
import type { AnyObject } from './observe.ts';

export const run: Run = async (call) => {
  const replicas = countOf(call, 'replicas');
  const expected = countOf(call, 'current-replicas');
  if (replicas === undefined) throw new UsageError('specify the number of instances: --replicas N');
  await changeEach(call, {
    command: 'scale',
    past: 'scaled',
    patchFor: (target, object) => {
      const { path, current } = scaleOf(target, object);
      if (expected !== undefined && current !== expected) {
        throw new Failure(
          `${shortNameOf(target.kind, target.name)} is scaled to ${current}, not to ${expected} as --current-replicas requires`,
        );
      }
      return patchAt(path, replicas);
    },
    warningFor: autoscalingWarning,
  });
};

/** Sanity limit; the kind may allow fewer. */
const countMax = 1_000_000;

function countOf(call: Call, flag: string): number | undefined {
  const text = flagIfSet(call, flag);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) > countMax) {
    throw new UsageError(`--${flag} has to be a number from 0 to ${countMax}, not "${text}"`);
  }
  return Number(text);
}

interface Scale {
  readonly path: string;
  readonly current: number;
}

function scaleOf({ kind, name }: Target, object: AnyObject): Scale {
  const path = kind.scale?.specReplicasPath;
  if (path === undefined) {
    const scalable = knownKinds.kinds.flatMap((one) => (one.scale ? [one.plural] : []));
    throw new UsageError(`${kind.plural} cannot be scaled: only ${scalable.join(', ')} can`);
  }
  const current = fieldAt(object, path);
  if (typeof current === 'number') return { path, current };
  const nodes = fieldAt(object, 'spec.deploymentStrategy.nodes');
  const where = Array.isArray(nodes) ? plural(nodes.length, 'node') : 'nodes';
  throw new Failure(
    `${shortNameOf(kind, name)} is Static: it runs one instance on each of its ${where}. Change spec.deploymentStrategy.nodes instead, with "ecsmctl edit ${kind.singular} ${name}"`,
  );
}
