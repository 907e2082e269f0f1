/**
 * Goal: keep the list of `make mutants` usable while the code changes.
 * Method: plant every mutant in the text of its file, without running a test.
 */
import { stop, transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { mutants, plant } from '../scripts/mutants/plant.mjs';

afterAll(stop);

describe('the planted defects', () => {
  it('have names of their own', () => {
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
