/** `ecsmctl set resources`: sets the limits of the instances of services. */
import { type Run, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import type { JsonValue } from '@ecsm/runtime';
import { patchAt } from '../shared/fields.ts';
import { flagIfSet } from '../shared/targets.ts';
import { changeEach } from './change.ts';

const resources = ['memory', 'disk'];

export const run: Run = async (call) => {
  if (flagIfSet(call, 'requests') !== undefined) {
    throw new UsageError('the platform has no requests, only limits: use --limits');
  }
  const limits = limitsOf(flagIfSet(call, 'limits'));
  await changeEach(call, {
    command: 'set',
    past: 'resource requirements updated',
    patchFor: ({ kind }) => {
      if (kind !== ECSMService) throw new UsageError(`${kind.plural} have no limits: only ${ECSMService.plural} have`);
      return patchAt('spec.template.resources.limits', limits);
    },
  });
};

/** `memory=1Gi,disk=512Mi`. As in kubectl, 0 removes a limit. The kind checks the quantities. */
function limitsOf(text: string | undefined): Readonly<Record<string, JsonValue>> {
  if (text === undefined) throw new UsageError('specify the limits: --limits=memory=1Gi,disk=512Mi');
  const limits: Record<string, JsonValue> = {};
  for (const pair of text.split(',')) {
    const [, name = '', quantity = ''] = /^\s*([^=\s]+)=(\S+)\s*$/.exec(pair) ?? [];
    if (name === '') throw new UsageError(`--limits: "${pair}" is not NAME=QUANTITY, such as memory=1Gi`);
    if (name === 'cpu') throw new UsageError('--limits: the platform cannot limit cpu, only memory and disk');
    if (!resources.includes(name)) throw new UsageError(`--limits: there is no resource "${name}": use memory or disk`);
    limits[name] = quantity === '0' ? null : quantity;
  }
  return limits;
}
