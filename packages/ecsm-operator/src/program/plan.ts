/** `ecsm-operator plan`: prints the plans of services. It reads, and changes nothing. */
import type { Registry } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import type { Operator } from '../controller/operator.ts';
import { formatPlan } from '../service/format-plan.ts';
import type { ServiceName } from './options.ts';

/** Yields the text of each plan as soon as it is computed. Throws at the first service that cannot be planned. */
export async function* plans(
  { registry, operator }: { readonly registry: Registry; readonly operator: Pick<Operator, 'planFor'> },
  names: readonly ServiceName[] | 'all',
  options: NonNullable<Parameters<Operator['planFor']>[2]>,
): AsyncGenerator<string> {
  const chosen = names === 'all' ? await everyName(registry) : names;
  for (const { namespace, name } of chosen) {
    const plan = await operator.planFor(namespace, name, options);
    yield `${namespace}/${name}\n${indented(formatPlan(plan))}\n`;
  }
}

async function everyName(registry: Registry): Promise<ServiceName[]> {
  const { items } = await registry.resource(ECSMService).list();
  return items.map(({ metadata }) => ({ namespace: metadata.namespace, name: metadata.name }));
}

function indented(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}
