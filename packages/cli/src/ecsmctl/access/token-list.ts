/** `ecsmctl token list`: tokens without their hashes. */
import { RegistryTokens, stateOfToken, type TokenRecord, type TokenState } from '@ecsm/apiserver';
import type { Call, Run } from '@ecsm/command-line';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { type Cell, formatTable } from '../../print/table.ts';
import { ageOf, none } from '../shared/columns.ts';
import { formatOf } from '../shared/printing.ts';
import { withAccess } from './access-session.ts';

export const run: Run = async (call) => {
  const { out, err, clock } = call.terminal;
  const format = formatOf(call, ['table', 'yaml', 'json', 'name']);
  const records = await withAccess(call, ({ registry }) => new RegistryTokens(registry).list());
  const nowMs = clock.now();
  if (format.kind === 'yaml') out.write(await formatYaml(documentOf(records, nowMs)));
  else if (format.kind === 'json') out.write(await formatJson(documentOf(records, nowMs)));
  else if (records.length === 0) err.write('No tokens found.\n');
  else if (format.kind === 'name') out.write(records.map(({ id }) => `token/${id}\n`).join(''));
  else out.write(tableOf(call, records, nowMs));
  await out.drained();
};

function documentOf(records: readonly TokenRecord[], nowMs: number): unknown {
  return records.map((record) => {
    const { hash: _, ...shown } = record;
    return { ...shown, state: stateOfToken(record, nowMs) };
  });
}

const styles: Readonly<Record<TokenState, 'good' | 'dim' | 'warn'>> = {
  Active: 'good',
  Expired: 'dim',
  Revoked: 'warn',
};

function tableOf({ terminal: { out } }: Call, records: readonly TokenRecord[], nowMs: number): string {
  const rows = records.map((record): readonly Cell[] => {
    const { id, user, groups, created, expires, description } = record;
    const state = stateOfToken(record, nowMs);
    return [
      id,
      user,
      groups.length === 0 ? none : groups.join(','),
      { text: state, style: styles[state] },
      expires ?? 'never',
      ageOf(created, nowMs),
      description === '' ? none : description,
    ];
  });
  return formatTable({
    columns: [
      { name: 'ID' },
      { name: 'USER', shrink: true },
      { name: 'GROUPS', shrink: true },
      { name: 'STATE' },
      { name: 'EXPIRES' },
      { name: 'AGE' },
      { name: 'DESCRIPTION', shrink: true },
    ],
    rows,
    columnsMax: out.columns,
    paint: paintOf(out.isColoured),
  });
}
