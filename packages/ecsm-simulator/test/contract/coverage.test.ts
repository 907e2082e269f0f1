/**
 * Goal: no call of the platform is left out. Method: the client's table of endpoints, the simulator's routes, the names
 * of the tests in this folder and the table in docs/platform-coverage.md have to say the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { endpoints } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes.ts';

const folder = new URL('./', import.meta.url);
const document = readFileSync(new URL('../../../../docs/platform-coverage.md', import.meta.url), 'utf8');

/** Which file tests an endpoint: the site makes sure that a test looks at the endpoint that its name begins with. */
const testFiles = new Map<string, string>();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')) {
  const text = readFileSync(new URL(file, folder), 'utf8');
  for (const [, endpoint = ''] of text.matchAll(/'((?:GET|POST|PUT|DELETE) \/[\w:/-]*\w): /g)) {
    testFiles.set(endpoint, testFiles.has(endpoint) && testFiles.get(endpoint) !== file ? 'several' : file);
  }
}

const documented = routes.filter(({ mark }) => mark !== 'GUESS');
const guessed = routes.filter(({ mark }) => mark === 'GUESS');
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;

describe('every call of the platform', () => {
  it('of the client is tested, and no other', () => {
    expect([...testFiles.keys()].sort()).toEqual(endpoints.map(({ endpoint }) => endpoint).sort());
    expect([...testFiles].filter(([, file]) => file === 'several')).toEqual([]);
  });

  it('that is not a guess is made by the client and answered by the simulator, from the same section', () => {
    const made = endpoints.map(({ endpoint, section }) => `${endpoint} in ${section}`);
    const answered = documented.map((route) => `${nameOf(route)} in ${route.section}`);
    expect(answered.sort()).toEqual(made.sort());
  });

  it('is known to the client from every source that the simulator names', () => {
    const unknown = documented.filter(({ mark, ...route }) => {
      const marks: readonly string[] = endpoints.find(({ endpoint }) => endpoint === nameOf(route))?.marks ?? [];
      return mark.split(', ').some((one) => !marks.includes(one));
    });
    expect(unknown.map(nameOf)).toEqual([]);
  });

  it('is documented as it is', () => {
    const rows = endpoints.map(({ endpoint, section, marks, method }) => [
      `\`${endpoint}\``,
      section,
      marks.join(', '),
      `\`${method}\``,
      documented.some((route) => nameOf(route) === endpoint) ? 'yes' : 'no',
      testFiles.get(endpoint) ?? 'none',
    ]);
    expect(tableBelow('## Calls')).toEqual(rows);
  });

  it('that is a guess is documented as one', () => {
    const rows = guessed.map((route) => [`\`${nameOf(route)}\``, route.section, route.exists ? 'by a switch' : 'yes']);
    expect(tableBelow('## Guesses').map((cells) => cells.slice(0, 3))).toEqual(rows);
  });
});

/** The cells of the first table below a heading, without its head. */
function tableBelow(heading: string): string[][] {
  const lines = document.slice(document.indexOf(`${heading}\n`)).split('\n');
  const from = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from + 2, from + length).map((line) =>
    line
      .slice(1, -1)
      .split(' |')
      .map((cell) => cell.trim()),
  );
}
