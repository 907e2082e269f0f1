/** `ecsmctl registry status`: sizes and problems of a registry. */

import { type Call, plural, type Run, visible, withProgress } from '@ecsm/command-line';
import { isApiError, type RegistryStatus, registryStatus, type Store } from '@ecsm/runtime';
import { formatBytes } from '../../print/amount.ts';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { formatTable } from '../../print/table.ts';
import { formatOf } from '../shared/printing.ts';
import { problemText, withSession } from '../shared/session.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';

const attemptsMax = 3;
const shownMax = 20;

export const run: Run = async (call) => {
  const { terminal } = call;
  const format = formatOf(call, ['table', 'yaml', 'json']);
  const options = { what: 'the registry to be read', timeoutMs: timeoutMsOf(call) };
  const { status, url } = await withSession(call, async ({ store, url }) => ({
    url,
    status: await withProgress(terminal, options, ({ signal }) => read(store(), signal)),
  }));
  if (format.kind === 'table') terminal.out.write(textOf(call, status, url));
  else terminal.out.write(await (format.kind === 'yaml' ? formatYaml : formatJson)({ registry: url, ...status }));
  await terminal.out.drained();
  return isHealthy(status) ? 0 : 1;
};

async function read(store: Store, signal: AbortSignal): Promise<RegistryStatus> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await registryStatus(store, { signal });
    } catch (error) {
      if (!isApiError(error, 'Expired') || attempt === attemptsMax) throw error;
    }
  }
}

function isHealthy({ damagedCount, problems, incomplete }: RegistryStatus): boolean {
  return damagedCount === 0 && problems.length === 0 && incomplete === undefined;
}

function textOf({ terminal: { out } }: Call, status: RegistryStatus, url: string): string {
  const { revision, objects, bytes, kinds, others } = status;
  const paint = paintOf(out.isColoured);
  const problems = problemsOf(status);
  const facts = [
    `Registry:   ${visible(url)}`,
    `Revision:   ${revision}`,
    `Objects:    ${objects} (${formatBytes(bytes)})`,
    `Problems:   ${problems.length === 0 ? paint.green('none') : paint.red(String(problems.length))}`,
    ...problems.map((line) => `  ${visible(line)}`),
  ];
  const counts = [...kinds, ...others];
  if (counts.length === 0) return `${facts.join('\n')}\n`;
  const table = formatTable({
    columns: [
      { name: 'KIND', shrink: true },
      { name: 'OBJECTS', align: 'right' },
      { name: 'SIZE', align: 'right' },
    ],
    rows: counts.map((one) => [one.prefix, String(one.objects), formatBytes(one.bytes)]),
    columnsMax: out.columns,
    paint,
  });
  return `${facts.join('\n')}\n\n${table}`;
}

function problemsOf({ incomplete, damaged, damagedCount, problems }: RegistryStatus): string[] {
  const lines: string[] = [];
  if (incomplete !== undefined) {
    const { transfer, source, started, objects } = incomplete;
    const soFar = objects < 0 ? '' : ` after ${plural(objects, 'object')}`;
    lines.push(
      `incomplete: a ${transfer === 'unknown' ? 'transfer' : transfer} of ${source}, started ${started}, stopped${soFar}; repeat it`,
    );
  }
  for (const { key, reason } of damaged.slice(0, shownMax)) lines.push(`damaged: ${key}: ${reason}`);
  if (damagedCount > shownMax) lines.push(`and ${plural(damagedCount - shownMax, 'more damaged record')}`);
  for (const problem of problems.slice(0, shownMax)) lines.push(problemText(problem));
  if (problems.length > shownMax) lines.push(`and ${plural(problems.length - shownMax, 'more file')}`);
  return lines;
}
