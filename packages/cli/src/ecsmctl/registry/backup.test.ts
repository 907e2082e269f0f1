/** Whole registries, saved and brought back: `backup`, `restore` and `export`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFiles } from '@ecsm/command-line';
import { ECSMService, OperatorIdentity, operatorKinds } from '@ecsm/operator';
import { incompleteTransfer, Lease, openRegistry, type Store } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { createHistory, kitPool } from '../shared/history.kit.ts';
import { type RegistryKit, registryKit, serviceInput } from '../shared/registry.kit.ts';

const freshKit = kitPool(12);

/** Everything but leases and fences, to the byte. */
async function contentOf(store: Store): Promise<readonly string[]> {
  const { entries } = await store.list('');
  return entries
    .filter(({ key }) => !key.startsWith('coordination.') && !key.startsWith('fences/'))
    .map(({ key, value }) => `${key} ${new TextDecoder().decode(value)}`);
}

async function contentAt(url: string): Promise<readonly string[]> {
  const registry = await openRegistry(url, { kinds: operatorKinds });
  try {
    return await contentOf(registry.store);
  } finally {
    await registry.close();
  }
}

/** Services, their history, an identity, a lease. */
async function furnish(kit: RegistryKit): Promise<void> {
  const revisions = ['1.0.0', '2.0.0'].map((tag, index) => ({ image: `telemetry@${tag}`, hash: `${index}1111111` }));
  await createHistory(kit, revisions);
  const registry = await kit.open();
  const services = registry.resource(ECSMService);
  const deploymentStrategy = { type: 'Static' as const, nodes: ['地面站一号', 'node-2'] };
  await services.create(serviceInput('camera', { deploymentStrategy }));
  await services.create(serviceInput('radar', { namespace: 'orbit' }));
  await registry.resource(OperatorIdentity).create({ metadata: { name: 'registry' }, spec: { id: 'c0ffee00-1234' } });
  const spec = {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    leaseTransitions: 0,
    renewTime: '2026-01-02T03:04:01.000000Z',
  };
  await registry.resource(Lease).create({ metadata: { name: 'ecsm-operator' }, spec });
}

const filesIn = (kit: RegistryKit) => readdirSync(kit.directory).sort();

describe('backup and restore', () => {
  it.each(['sqlite', 'file'] as const)(
    'carry everything over to the byte, from %s to sqlite, file and back',
    async (scheme) => {
      const kit = scheme === 'sqlite' ? freshKit() : fileKit;
      await furnish(kit);
      const saved = await kit.run('backup fleet.backup');
      expect(saved).toMatchObject({
        code: 0,
        err: 'fleet.backup contains passwords in plain text: only you can read it\n',
      });
      expect(saved.out).toMatch(
        /^saved 7 objects \(\S+Ki\) of (sqlite|file):\S+ as of revision \d+ to fleet\.backup\n$/,
      );
      const before = await contentAt(kit.url);
      for (const target of ['sqlite', 'file']) {
        const url = `${target}:${join(kit.directory, `restored-${target}`)}`;
        const { code, out, err } = await kit.run(`restore fleet.backup --registry ${url}`);
        expect({ code, err }).toEqual({
          code: 0,
          err: `created the registry ${url}\n1 lease or fence skipped: a new leader will be elected\n`,
        });
        expect(out).toMatch(/^restored 6 objects \(\S+Ki\) to \S+, and verified them\n$/);
        expect(await contentAt(url)).toEqual(before);
      }
    },
  );

  it('work with pipes', async () => {
    const kit = freshKit();
    await furnish(kit);
    const { code, out, err } = await kit.run('backup -');
    expect(code).toBe(0);
    expect(err).toMatch(/^saved 7 objects/);
    expect(out.split('\n')).toHaveLength(10);
    const url = `sqlite:${join(kit.directory, 'piped')}`;
    expect(await kit.run(`restore - --registry ${url}`, { input: out })).toMatchObject({ code: 0 });
    expect(await contentAt(url)).toEqual(await contentAt(kit.url));
  });

  it('--dry-run verifies and writes nothing', async () => {
    const kit = freshKit();
    await furnish(kit);
    await kit.run('backup fleet.backup');
    const before = filesIn(kit);
    const { code, out, err } = await kit.run(`restore fleet.backup --dry-run --registry sqlite:${kit.directory}/new`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^fleet\.backup is valid: 7 objects \(\S+\) as of revision \d+, 2026-01-02T03:04:05Z; nothing was restored \(dry run\)\n$/,
    );
    expect(filesIn(kit)).toEqual(before);
  });

  it('a damaged backup is refused before anything is written', async () => {
    const kit = freshKit();
    await furnish(kit);
    const { out } = await kit.run('backup -');
    const { code, err } = await kit.run(`restore - --registry sqlite:${kit.directory}/new`, {
      input: out.slice(0, -40),
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: 'ecsmctl: standard input is damaged: it was truncated at line 9: its end is missing\n',
    });
    expect(existsSync(join(kit.directory, 'new'))).toBe(false);
  });

  it('--overwrite replaces a file; without it nothing is replaced', async () => {
    const kit = freshKit();
    await furnish(kit);
    await kit.run('backup fleet.backup');
    const first = readFileSync(join(kit.directory, 'fleet.backup'), 'utf8');
    const registry = await kit.open();
    await registry.resource(ECSMService).delete('camera');
    expect((await kit.run('backup fleet.backup')).err).toBe(
      'ecsmctl: fleet.backup already exists and is not overwritten\n',
    );
    expect(readFileSync(join(kit.directory, 'fleet.backup'), 'utf8')).toBe(first);
    expect((await kit.run('backup fleet.backup --overwrite')).out).toMatch(/^saved 6 objects/);
    expect(readFileSync(join(kit.directory, 'fleet.backup'), 'utf8')).not.toContain('camera');
  });

  it('Ctrl-C in the middle of a backup leaves no file, not even a part of one', async () => {
    const kit = freshKit();
    await furnish(kit);
    const before = filesIn(kit);
    const real = nodeFiles({ here: kit.directory, home: kit.directory });
    let interrupt = () => {};
    const { test, code } = kit.start('backup fleet.backup', {
      nodeFiles: {
        ...real,
        write: (path, content, options) =>
          real.write(path, content instanceof Uint8Array ? content : interrupted(content, () => interrupt()), options),
      },
    });
    interrupt = () => test.interrupt();
    expect(await code).toBe(130);
    expect(filesIn(kit)).toEqual(before);
    expect(test.out.text).toBe('');
  });

  it('an interrupted restore is reported, recognised, and can be repeated', async () => {
    const kit = freshKit();
    await furnish(kit);
    await kit.run('backup fleet.backup');
    const url = `sqlite:${join(kit.directory, 'half')}`;
    const real = nodeFiles({ here: kit.directory, home: kit.directory });
    let opened = 0;
    let interrupt = () => {};
    const { test, code } = kit.start(`restore fleet.backup --registry ${url}`, {
      nodeFiles: {
        ...real,
        async open(path) {
          const found = await real.open(path);
          // The second time it is being restored; what follows the first chunk never comes.
          return found && ++opened === 2 ? { ...found, chunks: slowly(found.chunks, () => interrupt()) } : found;
        },
      },
    });
    interrupt = () => test.interrupt();
    expect(await code).toBe(130);
    expect(test.err.text).toBe(
      `created the registry ${url}\necsmctl: interrupted by SIGINT; ${url} is incomplete: repeat the restore, which starts over\n`,
    );
    const registry = await openRegistry(url, { kinds: operatorKinds });
    expect(await incompleteTransfer(registry.store)).toMatchObject({ transfer: 'restore' });
    await registry.close();
    const status = await kit.run(`registry status --registry ${url}`);
    expect(status.code).toBe(1);
    expect(status.out).toMatch(
      /Problems: {3}1\n {2}incomplete: a restore of fleet\.backup \(revision \d+ of 2026-01-02T03:04:05Z\), started /,
    );
    expect(await kit.run(`backup other.backup --registry ${url}`)).toMatchObject({ code: 1 });
    const again = await kit.run(`restore fleet.backup --registry ${url}`);
    expect(again).toMatchObject({ code: 0 });
    expect(await contentAt(url)).toEqual(await contentAt(kit.url));
  });

  it('a backup starts over when the registry is compacted meanwhile', async () => {
    const kit = freshKit();
    await furnish(kit);
    const registry = await kit.open();
    const services = registry.resource(ECSMService);
    for (let number = 0; number < 600; number++) {
      await services.create({
        metadata: { name: `s${number}` },
        spec: { deploymentStrategy: { type: 'Static', nodes: ['node-1'] }, template: { image: 'x@1' } },
      });
    }
    const real = nodeFiles({ here: kit.directory, home: kit.directory });
    let attempts = 0;
    const { code, out } = await kit.run('backup fleet.backup', {
      nodeFiles: {
        ...real,
        write(path, content, options) {
          attempts++;
          const isFirst = attempts === 1;
          const compacting = async () => {
            if (!isFirst) return;
            await services.delete('s7');
            await registry.store.compact(await registry.revision());
          };
          return real.write(path, content instanceof Uint8Array ? content : before(content, compacting), options);
        },
      },
    });
    expect({ code, attempts }).toEqual({ code: 0, attempts: 2 });
    expect(out).toMatch(/^saved 606 objects/);
  });

  it('fails at the deadline without a file', async () => {
    const kit = freshKit();
    await furnish(kit);
    const before = filesIn(kit);
    const real = nodeFiles({ here: kit.directory, home: kit.directory });
    const { test, code } = kit.start('backup fleet.backup --timeout 5s', {
      nodeFiles: {
        ...real,
        write: (path, content, options) =>
          real.write(
            path,
            content instanceof Uint8Array ? content : delayed(content, () => test.clock.advance(6_000)),
            options,
          ),
      },
    });
    expect(await code).toBe(1);
    expect(test.err.text).toContain(`ecsmctl: timed out waiting for a backup of ${kit.url} after 5 s`);
    expect(filesIn(kit)).toEqual(before);
  });
});

const fileKit = registryKit('file');

/** Interrupts when the first chunk has been taken. */
async function* interrupted(chunks: AsyncIterable<Uint8Array>, interrupt: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, 10);
    interrupt();
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield chunk.subarray(10);
    throw new Error('what was interrupted has ended by itself');
  }
}

/** Hands over the first lines, interrupts, and goes on with the rest. */
async function* slowly(chunks: AsyncIterable<Uint8Array>, interrupt: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, 2_000);
    interrupt();
    yield chunk.subarray(2_000);
  }
}

async function* before(chunks: AsyncIterable<Uint8Array>, act: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await act();
    yield chunk;
  }
}

async function* delayed(chunks: AsyncIterable<Uint8Array>, wait: () => Promise<void>): AsyncGenerator<Uint8Array> {
  await wait();
  yield* chunks;
}

describe('export', () => {
  const kit = registryKit();

  it('prints what users have written, and nothing that the registry or the operator adds', async () => {
    await furnish(kit);
    const registry = await kit.open();
    const services = registry.resource(ECSMService);
    await services.patch('telemetry', { metadata: { finalizers: ['ecsm.sh/platform-service', 'example.io/mine'] } });
    await services.patch('radar', { metadata: { finalizers: ['example.io/mine'] } }, { namespace: 'orbit' });
    await services.delete('radar', { namespace: 'orbit' });
    const { code, out, err } = await kit.run('export -l tier=ground');
    expect({ code, err }).toEqual({ code: 0, err: 'the output contains passwords in plain text: protect it\n' });
    expect(out).toBe(`apiVersion: ecsm.sh/v1
kind: ECSMService
metadata:
  name: telemetry
  namespace: default
  labels:
    tier: ground
  finalizers:
    - example.io/mine
spec:
  deploymentStrategy:
    type: Dynamic
    replicas: 2
    nodePool:
      - node-1
      - node-2
  template:
    image: telemetry@2.0.0
    vsoa:
      password: hunter2
      port: 0
    env:
      - name: TITLE
        value: 遥测
    prepull: false
    platformSpecific:
      action: Run
  upgradeStrategy:
    type: Never
  updateStrategy:
    type: InPlace
    progressDeadlineSeconds: 600
  paused: false
  revisionHistoryLimit: 10
`);
    const all = await kit.run('export -o json');
    expect(JSON.parse(all.out).items.map((one: { metadata: { name: string } }) => one.metadata.name)).toEqual([
      'camera',
      'telemetry',
    ]);
    expect(all.err).toBe(
      'skipped 1 object: being deleted, or owned by other objects\nthe output contains passwords in plain text: protect it\n',
    );
    expect(all.out).not.toMatch(/uid|resourceVersion|generation|creationTimestamp|"status"/);
  });

  it('includes all namespaces, unless -n is given', async () => {
    expect((await kit.run('export -o json', { env: { ECSM_NAMESPACE: 'orbit' } })).out).toContain('camera');
    expect(await kit.run('export -n nowhere')).toEqual({ code: 0, out: '', err: 'nothing to export\n' });
  });

  it('contains passwords on a terminal, too, and reports it', async () => {
    const { out, err } = await kit.run('export', { terminal: { columns: 100, rows: 40 } });
    expect(out).toContain('password: hunter2');
    expect(err).toContain('the output contains passwords in plain text: protect it\n');
  });

  it('is valid for its own registry, and creates the same objects in another', async () => {
    expect((await kit.run('export fleet.yaml')).out).toBe('exported 2 objects to fleet.yaml\n');
    expect((await kit.run('export fleet.yaml')).err).toContain('fleet.yaml already exists and is not overwritten');
    const { readManifests } = await import('@ecsm/runtime');
    const target = await openRegistry('memory:', { kinds: operatorKinds });
    for (const { object } of await readManifests(readFileSync(join(kit.directory, 'fleet.yaml')), {
      file: 'fleet.yaml',
    })) {
      const kind = target.kinds.get(String(object['apiVersion']), String(object['kind']));
      await target.resource(kind).apply(JSON.parse(JSON.stringify(object)));
    }
    const source = await kit.open();
    const specs = async (from: typeof target) =>
      (await from.resource(ECSMService).list({ namespace: 'default' })).items.map(({ spec }) => spec);
    expect(await specs(target)).toEqual(await specs(source));
    await target.close();
  });
});
