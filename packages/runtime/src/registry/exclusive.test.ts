/** Goal: one PriorityClass at most is the default, whichever way and however many writers set it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PriorityClass } from '../api/priority-class.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { EmbeddedRegistry } from './embedded.ts';
import { openRegistry } from './open.ts';

const kinds = [PriorityClass];
const classOf = (name: string, fields: { readonly globalDefault?: boolean } = { globalDefault: true }) =>
  PriorityClass.input({ name }, { value: 10, ...fields });
const taken = (by: string) => ({
  code: 'Invalid',
  message: expect.stringContaining(
    `globalDefault: Forbidden: PriorityClass "${by}" has it already, and only one can have it`,
  ),
});

async function defaultsIn(registry: EmbeddedRegistry): Promise<readonly string[]> {
  const { items } = await registry.resource(PriorityClass).list();
  return items.filter((one) => PriorityClass.fieldsOf(one).globalDefault).map(({ metadata }) => metadata.name);
}

describe('a second default', () => {
  it('is refused by every write, also in a dry run, until the first one is not it any more', async () => {
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds });
    const classes = registry.resource(PriorityClass);
    await classes.create(classOf('first'));
    const second = await classes.create(classOf('second', {}));
    const refused = expect.objectContaining(taken('first'));
    const wanted = { ...second, ...classOf('second'), metadata: second.metadata };
    for (const write of [
      () => classes.create(classOf('third')),
      () => classes.create(classOf('third'), { dryRun: true }),
      () => classes.apply(classOf('third')),
      () => classes.apply(classOf('second'), { force: true }),
      () => classes.patch('second', { globalDefault: true }),
      () => classes.patch('second', { globalDefault: true }, { dryRun: true }),
      () => classes.update(wanted),
    ]) {
      await expect(write()).rejects.toEqual(refused);
    }
    expect(await defaultsIn(registry)).toEqual(['first']);
    await classes.patch('first', { metadata: { labels: { a: 'b' } } });
    await classes.patch('first', { globalDefault: false });
    await classes.patch('second', { globalDefault: true });
    expect(await defaultsIn(registry)).toEqual(['second']);
    await classes.delete('second');
    await classes.create(classOf('third'));
    expect(await defaultsIn(registry)).toEqual(['third']);
    await registry.close();
  });

  it('is refused when several writers set it at the same time', async () => {
    const store = new MemoryStore();
    const registries = [1, 2].map(() => new EmbeddedRegistry({ store, kinds }));
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ends = await Promise.allSettled(
      names.map((name, index) => registries[index % 2]?.resource(PriorityClass).create(classOf(name))),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [registry] = registries;
    expect(registry && (await defaultsIn(registry))).toHaveLength(1);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'Invalid' });
    await store.close();
  });

  it('of an earlier version stays, and both can be changed and deleted', async () => {
    const store = new MemoryStore();
    const registry = new EmbeddedRegistry({ store, kinds });
    const classes = registry.resource(PriorityClass);
    await classes.create(classOf('first'));
    const entry = await store.get('scheduling.k8s.io/v1/priorityclasses/first');
    const text = new TextDecoder().decode(entry?.value).replaceAll('first', 'second');
    const key = 'scheduling.k8s.io/v1/priorityclasses/second';
    await store.commit([{ type: 'put', key, value: new TextEncoder().encode(text) }]);
    for (const name of ['first', 'second']) await classes.patch(name, { metadata: { labels: { a: 'b' } } });
    await classes.delete('first');
    expect(await defaultsIn(registry)).toEqual(['second']);
    await registry.close();
  });

  it('is refused in a file, also if both files are new', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-exclusive-'));
    const folder = join(directory, 'scheduling.k8s.io/v1/priorityclasses');
    mkdirSync(folder, { recursive: true });
    const save = (name: string) =>
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ value: 1, globalDefault: true }));
    for (const name of ['one', 'two']) save(name);
    const registry = await openRegistry(`file:${directory}`, { kinds });
    try {
      await expect.poll(() => defaultsIn(registry)).toHaveLength(1);
      save('three');
      const problems = () => registry.problems().map(({ reason }) => reason);
      await expect.poll(problems).toHaveLength(2);
      for (const reason of problems()) expect(reason).toContain('has it already, and only one can have it');
      expect(await defaultsIn(registry)).toHaveLength(1);
    } finally {
      await registry.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
