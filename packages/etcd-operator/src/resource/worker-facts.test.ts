import { Pod } from '@ecsm/kubernetes';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { workerFacts } from './worker-facts.ts';

type Waiting = { readonly reason: string; readonly message?: string };

async function waitingOf(waiting: Waiting): Promise<string | undefined> {
  const pods = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Pod] }).resource(Pod);
  await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'agent', image: 'i' }] } });
  const agent = { name: 'agent', image: 'i', imageID: '', ready: false, restartCount: 0, state: { waiting } };
  const status = { phase: 'Pending', containerStatuses: [agent] } as const;
  return workerFacts(await pods.updateStatus({ metadata: { name: 'p' }, status }), 'owner').waiting;
}

it('says why a container does not start, as far as its status does', async () => {
  expect(await waitingOf({ reason: 'ContainerCreating' })).toBeUndefined();
  expect(await waitingOf({ reason: 'ContainerCreating', message: 'secret "s" not found' })).toBe(
    'ContainerCreating: secret "s" not found',
  );
  expect(await waitingOf({ reason: 'ErrImagePull', message: 'no such image' })).toBe('ErrImagePull: no such image');
});
