/**
 * Goal: keep `make mutants` usable while the code changes.
 * Method: plant every mutant in the text of its file without running a test, and run a single one as the command does;
 * the same for small samples of generated ones.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stop, transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { Compiler } from '../scripts/mutants/compiler.mjs';
import { equivalent } from '../scripts/mutants/equivalent.mjs';
import { operators } from '../scripts/mutants/operators.mjs';
import { mutants, plant } from '../scripts/mutants/plant.mjs';
import { areas, sample } from '../scripts/mutants/sample.mjs';
import { root, run } from './documents.kit.ts';

afterAll(stop);

describe('the planted defects', () => {
  it('are at least 100, in the runtime, the API server, the tools, the clients, the simulator and the operators', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(100);
    const packages = new Set(mutants.map(({ file }) => file.split('/')[1]));
    expect([...packages].sort()).toEqual([
      'apiserver',
      'cli',
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

describe('the generator of defects', () => {
  const generate = (seed: number, count: number, of?: string) => {
    const compiler = new Compiler();
    try {
      return sample(compiler, { seed, count, ...(of === undefined ? {} : { of }) });
    } finally {
      compiler.close();
    }
  };

  it('gives every operator and every area the same share of a sample', () => {
    const defects = generate(7, operators.length * Object.keys(areas).length);
    const pairs = defects.map(({ operator, area }) => `${operator} ${area}`);
    expect(new Set(pairs).size).toBe(operators.length * Object.keys(areas).length);
    expect(defects.every(({ file, text }) => text !== readFileSync(join(root, file), 'utf8'))).toBe(true);
  });

  it('chooses the same defects for the same seed, and others for another one', () => {
    const texts = (seed: number) => generate(seed, 12, 'election').map(({ text }) => text);
    const first = texts(1);
    expect(texts(1)).toEqual(first);
    expect(texts(2)).not.toEqual(first);
  });

  it('rejects a defect that does not compile, and leaves the compiler as it was', () => {
    const compiler = new Compiler();
    const file = 'packages/runtime/src/api/names.ts';
    const { text } = compiler.sourceFile(file);
    expect(compiler.compiles(file, `${text}\nexport const wrong: string = 1;\n`)).toBe(false);
    expect(compiler.compiles(file, text)).toBe(true);
    compiler.close();
  });

  it('has a reason for every equivalent defect, which still applies', () => {
    const problems = equivalent.filter(
      ({ file, find, replace, why }) =>
        find === replace || why.length < 20 || !readFileSync(join(root, file), 'utf8').includes(find),
    );
    expect(problems).toEqual([]);
  });

  it('prints what each defect became and the rate by package, and changes no file', async () => {
    const file = 'packages/runtime/src/store/url.ts';
    const before = readFileSync(join(root, file), 'utf8');
    const { code, output } = await run(process.execPath, ['scripts/mutants/generated.mjs', '1', '2', file]);
    expect(output).toMatch(/^(caught|SURVIVED) +[\d.]+ s {2}\w+ +packages\/runtime\/src\/store\/url\.ts:\d+$/m);
    expect(output).toMatch(/^package +runtime +[\d.]+ % {2}\d caught, \d survived, \d equivalent$/m);
    expect(code, output).toBe(output.includes('SURVIVED') ? 1 : 0);
    expect(readFileSync(join(root, file), 'utf8')).toBe(before);
  });
});
