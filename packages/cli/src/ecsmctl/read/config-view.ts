/** `config view`: the settings and their sources. */

import type { Run } from '@ecsm/command-line';
import { redactText } from '@ecsm/runtime';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { formatTable } from '../../print/table.ts';
import { locateRegistry, settingsOf } from '../shared/location.ts';
import { formatOf } from '../shared/printing.ts';

export const run: Run = async (call) => {
  const { out } = call.terminal;
  const format = formatOf(call, ['table', 'yaml', 'json']);
  const settings = await settingsOf(call);
  const { url, context } = await locateRegistry(call, settings);
  const unset = context === undefined ? 'default' : 'KUBECONFIG';
  const view = settings
    .view(redactText)
    .map((one) => (one.key === 'registry' ? { ...one, value: url, from: one.from === '' ? unset : one.from } : one));
  if (format.kind === 'table') {
    out.write(
      formatTable({
        columns: [{ name: 'SETTING' }, { name: 'VALUE', shrink: true }, { name: 'FROM' }],
        rows: view.map(({ key, value, from }) => [key, value, from]),
        columnsMax: out.columns,
        paint: paintOf(out.isColoured),
      }),
    );
    return;
  }
  const values = Object.fromEntries(view.map(({ key, value }) => [key, value]));
  out.write(format.kind === 'yaml' ? await formatYaml(values) : formatJson(values));
};
