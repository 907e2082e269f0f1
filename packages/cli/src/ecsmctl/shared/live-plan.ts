/** Plans what the operator would do on the platform for services, with or without files applied. Read-only. */

import { type Call, visible, withProgress } from '@ecsm/command-line';
import { ECSMService, formatPlan, Operator, OperatorIdentity, type Plan, ServiceRevision } from '@ecsm/operator';
import {
  EmbeddedRegistry,
  type Kind,
  keyOf,
  type Log,
  MemoryStore,
  type ObjectInput,
  type Registry,
  redact,
} from '@ecsm/runtime';
import { applyManager } from './managers.ts';
import { linkFailure, type PlatformLink } from './platform-link.ts';
import type { Session } from './session.ts';

export interface PlannedService {
  readonly namespace: string;
  readonly name: string;
  /** The object in a file. Absent: the service in the registry. */
  readonly wanted?: ObjectInput<unknown, unknown>;
}

/** A working platform responds within seconds. */
const planMs = 60_000;

export async function livePlans(
  call: Call,
  session: Session,
  link: PlatformLink,
  services: readonly PlannedService[],
  options: { readonly showValues: boolean },
): Promise<readonly Plan[]> {
  const { url, transport, headers } = link;
  const registry = await copyRegistry(session, services);
  const { clock, detail } = call.terminal;
  const log: Log = {
    write: (_level, message, fields = {}) => detail(visible(`${message} ${JSON.stringify(redact(fields))}`)),
  };
  const operator = new Operator({ registry, transport, headers: () => headers, clock, log });
  try {
    return await withProgress(call.terminal, { what: `the platform ${url}`, timeoutMs: planMs }, async (progress) => {
      const plans: Plan[] = [];
      for (const { namespace, name } of services) {
        progress.update(`${plans.length} of ${services.length} services planned`);
        plans.push(await operator.planFor(namespace, name, options));
        progress.contact();
      }
      return plans;
    });
  } catch (error) {
    // The circuit breaker has the first cause; the error may only say that the call was not sent.
    throw linkFailure(error, link, operator.breaker.reason);
  } finally {
    await registry.close();
  }
}

/**
 * A copy in memory of everything that a plan depends on, with the files applied. Records are copied unchanged: the uid of
 * a service identifies its services on the platform.
 */
async function copyRegistry({ registry, kinds }: Session, services: readonly PlannedService[]): Promise<Registry> {
  const { clock } = registry;
  const store = new MemoryStore();
  const copy = async (kind: Kind, namespace?: string) => {
    const { items } = await registry.resource(kind).list(namespace === undefined ? {} : { namespace });
    for (const object of items) {
      const key = keyOf(kind, object.metadata.namespace, object.metadata.name);
      await store.commit([{ type: 'put', key, value: Buffer.from(JSON.stringify(object)), expected: 0 }]);
    }
  };
  await copy(OperatorIdentity);
  for (const namespace of new Set(services.map((one) => one.namespace))) {
    await copy(ServiceRevision, namespace);
    await copy(ECSMService, namespace);
  }
  const copied = new EmbeddedRegistry({ store, kinds, clock, random: registry.random });
  const resource = copied.resource<unknown, unknown, unknown, unknown>(ECSMService);
  // The plan shows the effect of the files; `diff` reports fields of other managers.
  const options = { manager: applyManager, force: true };
  for (const { wanted } of services) if (wanted) await resource.apply(wanted, options);
  return copied;
}

/** `default/telemetry` and, below it, each step with its reason. */
export function planText({ namespace, name }: PlannedService, plan: Plan): string {
  return `${namespace}/${name}\n${formatPlan(plan)
    .trimEnd()
    .replace(/^(?=.)/gm, '  ')}\n`;
}
