/** `api-resources`: the kinds with their names and short names. */

import type { Run } from '@ecsm/command-line';
import { type Kind, qualifiedPlural } from '@ecsm/runtime';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { formatTable } from '../../print/table.ts';
import { formatOf } from '../shared/printing.ts';
import { knownKinds } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';

export const run: Run = async (call) => {
  const { out } = call.terminal;
  const format = formatOf(call, ['table', 'wide', 'name', 'yaml', 'json']);
  const { kinds } = knownKinds;
  if (format.kind === 'name') out.write(kinds.map((kind) => `${qualifiedPlural(kind)}\n`).join(''));
  else if (format.kind === 'json') out.write(formatJson(kinds.map(described)));
  else if (format.kind === 'yaml') out.write(await formatYaml(kinds.map(described)));
  else {
    out.write(
      formatTable({
        columns: [
          { name: 'NAME' },
          { name: 'SHORTNAMES' },
          { name: 'APIVERSION' },
          { name: 'KIND' },
          { name: 'CATEGORIES', wide: true },
          { name: 'DESCRIPTION', wide: true },
        ],
        rows: kinds.map(({ plural, shortNames, apiVersion, kind, categories, description }) => {
          return [plural, shortNames.join(','), apiVersion, kind, categories.join(','), description];
        }),
        wide: format.kind === 'wide',
        headers: !isOn(call, 'no-headers'),
        columnsMax: format.kind === 'wide' ? undefined : out.columns,
        paint: paintOf(out.isColoured),
      }),
    );
  }
};

function described({ plural, singular, shortNames, categories, apiVersion, kind, description }: Kind) {
  return { name: plural, singular, shortNames, categories, apiVersion, kind, description };
}
