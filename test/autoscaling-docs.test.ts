/** Goal and method as in docs.test.ts, for the tables of docs/autoscaling.md. `GOLDEN=write` updates the page. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../packages/command-line/src/command/golden.kit.ts';
import { ECSMHpa } from '../packages/ecsm-operator/src/apis/hpa.ts';
import { hpaReasons } from '../packages/ecsm-operator/src/service/autoscaling/reasons.ts';
import { readDocument, root } from './documents.kit.ts';
import { fieldRows } from './tables.kit.ts';

const path = 'docs/autoscaling.md';
const page = readDocument(path);
const code = (text: string) => `\`${text}\``;

describe(path, () => {
  it('has the tables of the code', () => {
    const status = fieldRows(ECSMHpa.status ?? schema.object({}), 'status');
    const tables: Readonly<Record<string, readonly (readonly string[])[]>> = {
      '## Fields': fieldRows(ECSMHpa.spec, 'spec').map(([field = '', ...rest]) => [code(field), ...rest]),
      '## Status': status.map(([field = '', type = '', , meaning = '']) => [code(field), type, meaning]),
      '## Reasons': Object.entries(hpaReasons).map(([reason, { in: places, sentence }]) => [
        code(reason),
        places.join(', '),
        sentence,
      ]),
    };
    expect(Object.values(tables).every((rows) => rows.length > 3 && rows.every((row) => row.at(-1) !== ''))).toBe(true);
    const written = Object.entries(tables).reduce((text, [heading, rows]) => withTable(text, heading, rows), page);
    expectGolden(pathToFileURL(join(root, path)), written);
  });

  it('names only reasons that exist', () => {
    const prose = page.replace(/^```.*?^```$/gms, '');
    const named = [...prose.matchAll(/`([A-Z][a-z]+[A-Z]\w+)`/g)].map(([, reason = '']) => reason);
    const others = ['AverageValue'];
    expect(named.filter((name) => !Object.hasOwn(hpaReasons, name) && !others.includes(name))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(6);
  });
});

function withTable(text: string, heading: string, rows: readonly (readonly string[])[]): string {
  const start = text.indexOf(`\n${heading}\n`);
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
  const table = /(^\|.*\n\|[-|]+\|\n)(?:\|.*\n)*/m;
  expect(start, heading).toBeGreaterThan(0);
  return text.slice(0, start) + text.slice(start).replace(table, (_all, head: string) => `${head}${lines}`);
}
