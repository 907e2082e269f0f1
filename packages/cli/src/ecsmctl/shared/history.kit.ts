/** A service with revisions, as an operator would have recorded them. */
import { ECSMService, ServiceRevision } from '@ecsm/operator';
import type { EmbeddedRegistry } from '@ecsm/runtime';
import { type RegistryKit, registryKit, serviceInput, startedOperator } from './registry.kit.ts';

interface RevisionInput {
  readonly image: string;
  readonly hash: string;
  readonly restartedAt?: string;
}

const minuteMs = 60_000;

/** Registries for tests that need one of their own. Call it at the top of a test file: they end with that. */
export function kitPool(count: number, scheme?: 'sqlite' | 'file'): () => RegistryKit {
  const kits = Array.from({ length: count }, () => registryKit(scheme));
  return () => {
    const kit = kits.pop();
    if (!kit) throw new Error('the tests of this file need more registries');
    return kit;
  };
}

export function inputOf(image: string, name = 'telemetry') {
  return serviceInput(name, {
    labels: { tier: 'ground' },
    template: { image, vsoa: { password: 'hunter2' }, env: [{ name: 'TITLE', value: '遥测' }] },
  });
}

/** Revision 1 is the first of them; the last one is current. Each is an hour younger than the one before. */
export async function createHistory(
  kit: RegistryKit,
  revisions: readonly RevisionInput[],
  name = 'telemetry',
): Promise<void> {
  for (const [index, { image, hash, restartedAt }] of revisions.entries()) {
    const registry = await kit.open((revisions.length - index) * 60 * minuteMs);
    const services = registry.resource(ECSMService);
    const annotations = restartedAt === undefined ? {} : { 'ecsm.sh/restartedAt': restartedAt };
    const input = inputOf(image, name);
    const { object } = await services.apply({ ...input, metadata: { ...input.metadata, annotations } });
    await record(registry, object, { image, hash, ...(restartedAt && { restartedAt }) }, index + 1);
    await settle(registry, name, { currentRevision: hash, updateRevision: hash });
    await registry.close();
  }
}

/** The same, with the record of an operator that is running. */
export async function createManagedHistory(...of: Parameters<typeof createHistory>): Promise<void> {
  await createHistory(...of);
  const registry = await of[0].open();
  await startedOperator(registry);
  await registry.close();
}

async function record(
  registry: EmbeddedRegistry,
  service: ECSMService,
  revision: RevisionInput,
  number: number,
): Promise<void> {
  const { name, namespace, uid } = service.metadata;
  const { apiVersion, kind } = ECSMService;
  await registry.resource(ServiceRevision).create({
    metadata: { name: `${name}-${revision.hash}`, namespace, ownerReferences: [{ apiVersion, kind, name, uid }] },
    spec: {
      service: name,
      number,
      hash: revision.hash,
      template: service.spec.template,
      ...(revision.restartedAt === undefined ? {} : { restartedAt: revision.restartedAt }),
    },
  });
}

type Status = NonNullable<ECSMService['status']>;

/** Sets a status that is fully rolled out, except for the given fields. */
export async function settle(registry: EmbeddedRegistry, name: string, status: Partial<Status> = {}): Promise<void> {
  const services = registry.resource(ECSMService);
  const { metadata, status: before } = await services.get(name);
  const complete = {
    type: 'Progressing',
    status: 'True' as const,
    reason: 'Complete',
    message: 'all is done',
    lastTransitionTime: '2026-01-02T03:00:00Z',
    observedGeneration: metadata.generation,
  };
  await services.updateStatus({
    metadata: { name },
    status: {
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      unavailableReplicas: 0,
      observedGeneration: metadata.generation,
      ...(before?.currentRevision === undefined ? {} : { currentRevision: before.currentRevision }),
      ...(before?.updateRevision === undefined ? {} : { updateRevision: before.updateRevision }),
      conditions: [complete],
      ...status,
    },
  });
}

export function condition(
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Status['conditions'][number] {
  return { type, status, reason, message, lastTransitionTime: '2026-01-02T03:03:25Z' };
}
