/** `registry status`, `compact` and `migrate`, on real stores. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTerminal } from '@ecsm/command-line/testing';
import { ECSMService, OperatorIdentity } from '@ecsm/operator';
import {
  type Clock,
  type EmbeddedRegistry,
  incompleteTransfer,
  isApiError,
  keyOf,
  Lease,
  openRegistry,
} from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { createHistory, kitPool } from '../shared/history.kit.ts';
import { nowMs, type RegistryKit, registryKit, serviceInput } from '../shared/registry.kit.ts';
import { knownKinds } from '../shared/session.ts';

const freshKit = kitPool(10);
const fileKit = registryKit('file');

async function furnish(kit: RegistryKit): Promise<EmbeddedRegistry> {
  await createHistory(kit, [{ image: 'telemetry@1.0.0', hash: '11111111' }]);
  const registry = await kit.open();
  await registry.resource(ECSMService).create(serviceInput('camera'));
  await registry.resource(OperatorIdentity).create({ metadata: { name: 'registry' }, spec: { id: 'c0ffee00-1234' } });
  return registry;
}

async function contentAt(url: string): Promise<readonly string[]> {
  const registry = await openRegistry(url, { kinds: knownKinds });
  try {
    const { entries } = await registry.store.list('');
    return entries.map(({ key, value }) => `${key} ${new TextDecoder().decode(value)}`);
  } finally {
    await registry.close();
  }
}

/** Where a registry is differs from run to run. */
const shown = (text: string, kit: RegistryKit) => text.replaceAll(kit.directory, '/dir');

describe('registry status', () => {
  const kit = registryKit();

  it('shows its content, in a pipe and on terminals of any width', async () => {
    await furnish(kit);
    const { code, out, err } = await kit.run('registry status');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(shown(out, kit)).toBe(`Registry:   sqlite:/dir/registry
Revision:   5
Objects:    4 (2.7Ki)
Problems:   none

KIND                            OBJECTS    SIZE
ecsm.sh/v1/ecsmservices               2   1.9Ki
ecsm.sh/v1/operatoridentities         1    239B
ecsm.sh/v1/servicerevisions           1    583B
`);
    const narrow = await kit.run('registry status', { terminal: { columns: 34, rows: 20 } });
    expect(narrow.out.split('\n').slice(5).join('\n')).toBe(`KIND               OBJECTS    SIZE
ecsm.sh/v1/ecsm…         2   1.9Ki
ecsm.sh/v1/oper…         1    239B
ecsm.sh/v1/serv…         1    583B
`);
    const coloured = await kit.run('registry status', { terminal: { columns: 80, rows: 20 }, coloured: true });
    expect(coloured.out).toContain('Problems:   \u001b[32mnone\u001b[39m');
  });

  it('prints data for programs', async () => {
    const { out } = await kit.run('registry status -o json');
    const { registry, revision, objects, damagedCount, problems } = JSON.parse(out);
    expect({ registry, objects, damagedCount, problems }).toEqual({
      registry: kit.url,
      objects: 4,
      damagedCount: 0,
      problems: [],
    });
    expect(revision).toBeGreaterThan(3);
    expect((await kit.run('registry status -o yaml')).out).toContain(`registry: ${kit.url}\n`);
  });

  it('exits with 1 if files were rejected, and names them', async () => {
    await furnish(fileKit);
    const directory = join(fileKit.directory, 'registry/ecsm.sh/v1/ecsmservices/default');
    writeFileSync(join(directory, '坏的.yaml'), 'kind: [');
    const { code, out } = await fileKit.run('registry status');
    expect(code).toBe(1);
    expect(out).toMatch(/\nProblems: {3}1\n {2}\S*坏的\.yaml: .+\n\nKIND/);
  });

  it('shows an empty registry in memory', async () => {
    const { code, out } = await kit.run('registry status --registry memory:');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Registry:   memory:\nRevision:   0\nObjects:    0 (0B)\nProblems:   none\n',
    });
  });
});

describe('registry compact', () => {
  it('discards history and keeps the objects', async () => {
    const kit = freshKit();
    const registry = await furnish(kit);
    const newest = await registry.revision();
    const before = await contentAt(kit.url);
    const { code, out } = await kit.run(`registry compact --revision 2`);
    expect({ code, out: shown(out, kit) }).toEqual({
      code: 0,
      out: 'compacted sqlite:/dir/registry: history before revision 2 was discarded\n',
    });
    expect((await registry.store.list('', { at: 2 })).revision).toBe(2);
    expect((await kit.run('registry compact')).out).toContain(`history before revision ${newest} was discarded\n`);
    await expect(registry.store.list('', { at: 2 })).rejects.toSatisfy((error) => isApiError(error, 'Expired'));
    expect(await contentAt(kit.url)).toEqual(before);
  });
});

describe('registry migrate', () => {
  it('copies sqlite to file and back, and prints the next steps', async () => {
    const kit = freshKit();
    await furnish(kit);
    const before = await contentAt(kit.url);
    const file = `file:${join(kit.directory, 'fleet')}`;
    const { code, out, err } = await kit.run(`registry migrate --to ${file}`);
    expect(code).toBe(0);
    expect(shown(out, kit)).toMatch(
      /^migrated 4 objects \(\S+Ki\) of sqlite:\/dir\/registry as of revision \d+ to file:\/dir\/fleet, and verified them\n$/,
    );
    expect(
      shown(err, kit),
    ).toBe(`next: start the operator with --registry file:/dir/fleet, and set ECSM_REGISTRY for ecsmctl
sqlite:/dir/registry was not changed: keep it until the migration is confirmed, and do not run operators on both registries
`);
    expect(await contentAt(file)).toEqual(before);
    const back = `sqlite:${join(kit.directory, 'back')}`;
    expect(await kit.run(`registry migrate --registry ${file} --to ${back}`)).toMatchObject({ code: 0 });
    expect(await contentAt(back)).toEqual(before);
    expect(await contentAt(kit.url)).toEqual(before);
  });

  it('omits leases, and warns about operators that still use the registry', async () => {
    const kit = freshKit();
    const registry = await furnish(kit);
    const spec = { holderIdentity: '地面站一号_7', leaseDurationSeconds: 15, leaseTransitions: 0 };
    const leases = registry.resource(Lease);
    await leases.create({
      metadata: { name: 'ecsm-operator' },
      spec: { ...spec, renewTime: '2026-01-02T03:04:01.000000Z' },
    });
    await leases.create({ metadata: { name: 'old' }, spec: { ...spec, renewTime: '2026-01-02T03:03:01.000000Z' } });
    await leases.create({
      metadata: { name: 'free' },
      spec: { ...spec, holderIdentity: '', renewTime: '2026-01-02T03:04:04.000000Z' },
    });
    const { code, err } = await kit.run(`registry migrate --to file:${kit.directory}/fleet`);
    expect(code).toBe(0);
    expect(err.split('\n').slice(0, 2)).toEqual([
      'warning: "地面站一号_7" uses this registry (its lease was renewed 4s ago): stop it first, or its writes are not migrated',
      '3 leases and fences skipped: a new leader will be elected',
    ]);
  });

  it('fails if the source was written to meanwhile', async () => {
    const kit = freshKit();
    const registry = await furnish(kit);
    const target = `file:${join(kit.directory, 'fleet')}`;
    await multiply(registry, 'camera', 2_000);
    const { test, code } = observed(kit, `registry migrate --to ${target}`, () => {
      void registry.resource(ECSMService).delete('camera');
    });
    expect(await code).toBe(1);
    expect(shown(test.err.text, kit)).toMatch(
      /\necsmctl: sqlite:\/dir\/registry was written to after revision \d+, and the changes are not in file:\/dir\/fleet: stop the operator, empty file:\/dir\/fleet or use another target, and migrate again\n$/,
    );
  });

  it('refuses a target that is not empty, and one that others have written to', async () => {
    const kit = freshKit();
    await furnish(kit);
    const target = `sqlite:${join(kit.directory, 'fleet')}`;
    await kit.run(`registry migrate --to ${target}`);
    const full = await kit.run(`registry migrate --to ${target}`);
    expect(full).toMatchObject({ code: 1, out: '' });
    expect(full.err).toMatch(/^ecsmctl: the target is not empty, and nothing is overwritten: it holds 4 objects \(/);
    const registry = await openRegistry(target, { kinds: knownKinds });
    const marker = { transfer: 'migration', source: 'x', started: '2026-01-01T00:00:00Z', objects: 1 };
    await registry.store.commit([
      { type: 'put', key: 'transfers/incomplete', value: new TextEncoder().encode(JSON.stringify(marker)) },
    ]);
    await registry.close();
    const shared = await kit.run(`registry migrate --to ${target}`);
    expect(shared.err).toMatch(
      /^ecsmctl: the target holds an unfinished migration of x, started 2026-01-01T00:00:00Z, but others have written to it since: it holds 4 objects \(.*\); start over to remove all of it with --start-over\n$/,
    );
    expect(await kit.run(`registry migrate --to ${target} --start-over`)).toMatchObject({ code: 0 });
    expect(await contentAt(target)).toEqual(await contentAt(kit.url));
  });

  it('recognises the target of an interrupted migration, and repeats it', async () => {
    const kit = freshKit();
    await furnish(kit);
    const target = `sqlite:${join(kit.directory, 'fleet')}`;
    const { test, code } = observed(kit, `registry migrate --to ${target}`, ({ interrupt }) => interrupt());
    expect(await code).toBe(130);
    expect(
      shown(test.err.text, kit),
    ).toBe(`waiting for sqlite:/dir/registry to be copied to sqlite:/dir/fleet (0 s of 60 min)
waiting for sqlite:/dir/registry to be copied to sqlite:/dir/fleet (0 s of 60 min): 4 objects written (2.7Ki)
ecsmctl: interrupted by SIGINT; sqlite:/dir/fleet is incomplete: repeat the migration, which starts over
`);
    const registry = await openRegistry(target, { kinds: knownKinds });
    expect(await incompleteTransfer(registry.store)).toMatchObject({ transfer: 'migration' });
    await registry.close();
    expect((await kit.run(`get services --registry ${target}`)).err).toContain('is incomplete: a migration of');
    expect(await kit.run(`registry migrate --to ${target}`)).toMatchObject({ code: 0 });
    expect(await contentAt(target)).toEqual(await contentAt(kit.url));
  });

  it('creates no target if the source does not exist', async () => {
    const kit = freshKit();
    mkdirSync(join(kit.directory, 'empty'));
    const { code, err } = await kit.run(`registry migrate --to sqlite:${kit.directory}/fleet`);
    expect({ code, err: shown(err, kit) }).toEqual({
      code: 1,
      err: 'ecsmctl: there is no registry at sqlite:/dir/registry yet: "ecsmctl apply" creates one\n',
    });
    expect(readdirSync(kit.directory)).toEqual(['empty']);
  });
});

/** Starts a command that shows its progress at once, and acts when the first objects have been written. */
function observed(kit: RegistryKit, line: string, act: (test: TestTerminal) => void) {
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, callback) {
      // Only what waits for half a second before it says anything need not wait.
      if (delayMs === 500) queueMicrotask(callback);
      return () => {};
    },
  };
  const { test, code } = kit.start(line, { clock });
  const write = test.err.write.bind(test.err);
  let isActing = true;
  test.err.write = (text) => {
    write(text);
    if (!isActing || !text.includes(' written ')) return;
    isActing = false;
    act(test);
  };
  return { test, code };
}

/** The service again and again, under other names. */
async function multiply(registry: EmbeddedRegistry, name: string, count: number): Promise<void> {
  const entry = await registry.store.get(keyOf(ECSMService, 'default', name));
  const text = new TextDecoder().decode(entry?.value);
  for (let start = 0; start < count; start += 100) {
    await registry.store.commit(
      Array.from({ length: 100 }, (_, index) => {
        const other = `${name}-${start + index}`;
        const value = new TextEncoder().encode(text.replace(`"name":"${name}"`, `"name":"${other}"`));
        return { type: 'put', key: keyOf(ECSMService, 'default', other), value };
      }),
    );
  }
}
