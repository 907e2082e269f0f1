/**
 * Two processes that both act as the leader for a while. Each raises the fence when it starts and then writes
 * with its epoch; once the other has raised the fence again, nothing that the first one writes may be stored.
 */
import { Widget } from '@ecsm/runtime/testing';
import { isApiError } from '../../src/api/errors.ts';
import { sleep } from '../../src/ports/clock.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import type { ProcessDependencies } from '../../src/simulation/incarnation.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';

async function leader(dependencies: ProcessDependencies): Promise<void> {
  const { store, clock, random } = dependencies;
  const registry = new EmbeddedRegistry({ store, kinds: [Widget], clock, random });
  await sleep(clock, random.next() * 2000);
  const fence = await registry.raiseFence('leader');
  const widgets = registry.fencedBy(fence).resource(Widget);
  for (let step = 0; step < 6; step++) {
    try {
      await widgets.apply({ metadata: { name: 'a' }, spec: { size: step, note: String(fence.epoch) } });
    } catch (error) {
      if (isApiError(error, 'Fenced')) return;
      if (!isApiError(error)) throw error;
    }
    await sleep(clock, random.next() * 800);
  }
}

export const leadersScenario: Scenario = {
  name: 'leaders',
  faultsUntilMs: 5_000,
  endMs: 20_000,
  build(simulation) {
    for (const name of ['one', 'two']) simulation.process(name).start(leader);
    simulation.always('what is stored after a fence was raised was written by the one who raised it', ({ store }) => {
      const fence = store.contents.get('fences/leader');
      const entry = store.contents.get('example.io/v1/widgets/default/a');
      if (!fence || !entry || entry.revision < fence.revision) return undefined;
      const widget = store.json(entry.key) as { readonly spec: { readonly note: string } };
      return widget.spec.note === String(fence.revision)
        ? undefined
        : `epoch ${widget.spec.note} wrote revision ${entry.revision}, after the fence was raised at ${fence.revision}`;
    });
  },
};
