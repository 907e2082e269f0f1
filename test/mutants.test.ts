/**
 * Goal: keep `make mutants` usable while the code changes.
 * Method: plant every mutant in the text of its file without running a test, and run a single one as the command does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stop, transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { mutants, plant } from '../scripts/mutants/plant.mjs';
import { root, run } from './documents.kit.ts';

afterAll(stop);

describe('the planted defects', () => {
  it('are at least 100, in the runtime, the API server, the clients, the simulator and the operators', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(100);
    const packages = new Set(mutants.map(({ file }) => file.split('/')[1]));
    expect([...packages].sort()).toEqual([
      'apiserver',
      'ecsm-client',
      'ecsm-operator',
      'ecsm-simulator',
      'etcd-operator',
      'kubernetes',
      'runtime',
    ]);
  });

  it('have unique names', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('apply: file and tests exist, and the text to find occurs exactly once', () => {
    const problems = mutants.flatMap((mutant) => {
      const { problem } = plant(mutant);
      return problem === undefined ? [] : [`${mutant.name}: ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it('compile, and change the program', async () => {
    const compiled = async (text = '') => (await transform(text, { loader: 'ts' })).code;
    const unchanged = await Promise.all(
      mutants.map(async (mutant) => {
        const { original, text } = plant(mutant);
        return (await compiled(original)) === (await compiled(text)) ? [mutant.name] : [];
      }),
    );
    expect(unchanged.flat()).toEqual([]);
  });
});

it('scripts/mutants/run.mjs plants a defect, names the test that notices it, and changes no file', async () => {
  const source = join(root, 'packages/runtime/src/api/names.ts');
  const before = readFileSync(source, 'utf8');
  const { code, output } = await run(process.execPath, ['scripts/mutants/run.mjs', '^the year 1900 is a leap year$']);
  expect(output).toMatch(
    /^caught +[\d.]+ s {2}the year 1900 is a leap year {2}\(packages\/runtime\/src\/api\/names\.ts\)$/m,
  );
  expect(output).toMatch(/^ +by: .*\n1 mutant in \d+ s: 1 caught, 0 SURVIVED, 0 does not apply, 0 not tested\n$/m);
  expect(code, output).toBe(0);
  expect(readFileSync(source, 'utf8')).toBe(before);
});
