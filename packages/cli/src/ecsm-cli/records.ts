/** Deployment records, as `get` and `describe` show them. `rollback` deploys one of them again. */
import type { DeploymentRecord, DeploymentRecordDetail } from '@ecsm/client';
import { Failure, UsageError } from '@ecsm/command-line';
import { hidden, shape } from '@ecsm/runtime';
import type { Column } from '../print/table.ts';
import { ageCell, none, textCell, timeText } from './cells.ts';
import { undefinedIfNotFound } from './not-found.ts';
import type { Context, Item, Resource } from './resource.ts';
import { fieldLines, objectPart } from './text.ts';

export const recordColumns: readonly Column[] = [
  { name: 'id' },
  { name: 'service', shrink: true },
  { name: 'image', shrink: true },
  { name: 'nodes', shrink: true },
  { name: 'age' },
  { name: 'command', wide: true, shrink: true },
];

export const records: Resource = {
  kind: 'record',
  columns: recordColumns,

  async *list(context) {
    const word = context.filterOf('service');
    if (word === undefined) throw new UsageError('records belong to a service: add --service NAME');
    const { findService } = await import('./services.ts');
    const { id } = await findService(context, word);
    for await (const row of context.platform.ecsm.records().list(id, { signal: context.signal })) {
      yield recordItem(context, row);
    }
  },

  async find(context, word) {
    const record = await recordOf(context, word);
    return { ...recordItem(context, record), whole: async () => record, describe: () => describe(context, record) };
  },
};

async function recordOf({ platform, signal }: Context, id: string): Promise<DeploymentRecordDetail> {
  const record = await undefinedIfNotFound(() => platform.ecsm.records().get(id, { signal }));
  if (record) return record;
  throw new Failure(`there is no record "${id}" on ${platform.url}: "ecsm-cli get records --service NAME" lists them`);
}

export function recordItem(context: Context, record: DeploymentRecord): Item {
  return {
    name: record.id,
    value: record,
    cells: [
      record.id,
      textCell(record.name),
      textCell(imageOf(record)),
      record.nodeNames.join(',') || none,
      ageCell(context, record.createdTime),
      commandOf(record),
    ],
    whole: () => recordOf(context, record.id),
    describe: async () => describe(context, await recordOf(context, record.id)),
  };
}

async function describe(context: Context, record: DeploymentRecordDetail): Promise<string> {
  const fields = fieldLines([
    ['Id', record.id],
    ['Service', textCell(record.name)],
    ['Created', timeText(context, record.createdTime)],
    ['Image', textCell(imageOf(record))],
    ['Action', textCell(record.action)],
    ['Policy', textCell(record.policy)],
    ['Factor', textCell(record.factor)],
    ['Nodes', record.nodeNames.join(', ') || none],
    ['Command', commandOf(record)],
  ]);
  return `${fields}${await objectPart('VSOA', record.vsoa)}${await objectPart('Configuration', record.config)}`;
}

/** Text does not show it: its arguments may be secrets. */
function commandOf({ command }: DeploymentRecord): string {
  return Array.isArray(command) && command.length > 0 ? hidden : none;
}

/** The platform returns the image as a text or as an object. */
export function imageOf({ image }: DeploymentRecord): string | undefined {
  if (typeof image === 'string') return image;
  const ref = shape.isObject(image) ? image['ref'] : undefined;
  return typeof ref === 'string' ? ref : undefined;
}
