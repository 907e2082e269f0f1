/** `config view`: the settings with their sources. */

import type { Call } from '@ecsm/command-line';
import { redactText } from '@ecsm/runtime';
import { platformUrlOf } from './address.ts';
import { none } from './cells.ts';
import { formatOf, print } from './output.ts';
import { settingsOf } from './platform.ts';

export async function run(call: Call): Promise<void> {
  const format = formatOf(call);
  const settings = await settingsOf(call);
  const items = settings.view(redactText).map(({ key, value, from }) => ({
    name: key,
    value: { key, value, from },
    cells: [key, value === '' ? none : value, from === '' ? none : from],
  }));
  const columns = [{ name: 'setting' }, { name: 'value', shrink: true }, { name: 'from', shrink: true }];
  await print(call, format, [{ columns, items }], { headers: call.flag('no-headers') === undefined });
  call.terminal.err.write(`The platform is at ${platformUrlOf(settings)}\n`);
}
