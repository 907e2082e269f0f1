/** The import rules hold, and each violation is reported with its position. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root, run } from './documents.kit.ts';

const script = join(root, 'scripts', 'check-imports.mjs');
const check = (directory: string) => run(process.execPath, [script, directory]);

it('this repository follows its import rules', async () => {
  expect(await check(root)).toEqual({ code: 0, output: '' });
});

describe('a wrong import', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'ecsm-imports-'));
    // Some folders without a wrong import; what is imported does not have to exist.
    for (const folder of ['runtime/src/ports', 'runtime/src/store', 'ecsm-client/src/rest']) {
      cpSync(join(root, 'packages', folder), join(copy, 'packages', folder), { recursive: true });
    }
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const plant = (file: string, ...lines: string[]) => {
    const path = join(copy, 'packages', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.join('\n')}\n`);
  };

  it.each([
    {
      is: 'up',
      file: 'runtime/src/api/planted.ts',
      line: "import type { Registry } from '../registry/contract.ts';",
      says: 'runtime/api may not import from runtime/registry',
    },
    {
      is: 'sideways',
      file: 'runtime/src/ports/planted.ts',
      line: "export { limits } from '../store/contract.ts';",
      says: 'runtime/ports may not import from runtime/store',
    },
    {
      is: 'of a room that only tests may use',
      file: 'runtime/src/controller/planted.ts',
      line: "import type { Store } from '../store/contract.ts';",
      says: 'runtime/controller may not import from runtime/store',
    },
    {
      is: 'hidden in a dynamic import',
      file: 'runtime/src/store/memory/planted.ts',
      line: "const late = await import('../../registry/open.ts');",
      says: 'runtime/store may not import from runtime/registry',
    },
    {
      is: 'of a Node.js module that is not allowed',
      file: 'runtime/src/registry/planted.ts',
      line: "import { readFile } from 'node:fs/promises';",
      says: 'runtime/registry may not use node:fs/promises',
    },
    {
      is: 'of another package by path',
      file: 'ecsm-client/src/rest/planted.ts',
      line: "import { limits } from '../../../runtime/src/store/contract.ts';",
      says: 'ecsm-client/rest may not import from another package by path',
    },
    {
      is: 'of a package that is above',
      file: 'runtime/src/store/planted.ts',
      line: "import { services } from '@ecsm/client';",
      says: 'runtime/store may not import from ecsm-client',
    },
    {
      is: 'of a library that is not allowed',
      file: 'runtime/src/registry/planted.ts',
      line: "import { DatabaseSync } from '@photostructure/sqlite';",
      says: 'runtime/registry may not use the library @photostructure/sqlite',
    },
    {
      is: 'replaced by Math.random',
      file: 'runtime/src/registry/planted.ts',
      line: 'export const dice = () => Math.random();',
      says: 'use the Random port',
    },
    {
      is: 'of a value from a folder of which only types are known',
      file: 'etcd-operator/src/service/planted.ts',
      line: "import { type EtcdClient, observeMembers } from '../client/etcd/members.ts';",
      says: 'etcd-operator/service may not import values from etcd-operator/client',
    },
    {
      is: 'of the public entry from inside the package',
      file: 'runtime/src/registry/planted.ts',
      line: "import { limits } from '../index.ts';",
      says: 'runtime/registry may not import the public entry of its package',
    },
  ])('$is fails, with file and line', async ({ file, line, says }) => {
    plant(file, '// The first line is valid.', line);
    const { code, output } = await check(copy);
    expect(code).toBe(1);
    expect(output).toContain(`packages/${file}:2: ${says}`);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  it('from a folder that is not listed fails, with its name', async () => {
    plant('runtime/src/unlisted/planted.ts', 'export const value = 1;');
    const { code, output } = await check(copy);
    expect(code).toBe(1);
    expect(output).toContain('packages/runtime/src/unlisted/planted.ts: runtime/unlisted is not in scripts/rooms.mjs');
  });

  it('is not reported for a Node.js module in a test, or an allowed import', async () => {
    plant('runtime/src/registry/planted.test.ts', "import { mkdtempSync } from 'node:fs';");
    plant('runtime/src/registry/planted.ts', "import { limits } from '../store/contract.ts';");
    expect(await check(copy)).toEqual({ code: 0, output: '' });
  });

  it('is not reported for types from a folder of which only types are known', async () => {
    plant(
      'etcd-operator/src/service/planted.ts',
      "import type { EtcdClient } from '../client/etcd/contract.ts';",
      "import { type MemberAnswer, type MembersObserved } from '../client/etcd/members.ts';",
    );
    expect(await check(copy)).toEqual({ code: 0, output: '' });
  });
});
