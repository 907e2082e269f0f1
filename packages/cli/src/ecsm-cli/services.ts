/** Services, as `get` and `describe` show them. */
import { isOn, numberOf, type ServiceDetail, type ServiceFilter, type ServiceRow, textsOf } from '@ecsm/client';
import { UsageError, visible } from '@ecsm/command-line';
import { explainedText, ownerKeysOf, platformName, readMark } from '@ecsm/operator';
import { redactText } from '@ecsm/runtime';
import type { Cell } from '../print/table.ts';
import { ageCell, imageText, none, onlineCells, statesCell, textCell, timeText, unknown } from './cells.ts';
import { containerColumns, containerItem } from './containers.ts';
import { notFound, undefinedIfNotFound } from './not-found.ts';
import { recordColumns, recordItem } from './records.ts';
import type { Context, Item, Resource } from './resource.ts';
import { fieldLines, objectPart, part, tablePart, without } from './text.ts';

const recordsMax = 5;

export const services: Resource = {
  kind: 'service',
  columns: [
    { name: 'name' },
    { name: 'status' },
    { name: 'online' },
    { name: 'policy' },
    { name: 'image', shrink: true },
    { name: 'state' },
    { name: 'age' },
    { name: 'nodes', wide: true, shrink: true },
    { name: 'label', wide: true },
    { name: 'id', wide: true },
  ],

  async *list(context) {
    const { filterOf } = context;
    const image = filterOf('image');
    const node = filterOf('node');
    const label = filterOf('label');
    const filter: ServiceFilter = {
      ...(image === undefined ? {} : { imageId: await imageIdOf(context, image) }),
      ...(node === undefined ? {} : { nodeId: await nodeIdOf(context, node) }),
      ...(label === undefined ? {} : { label }),
    };
    for await (const row of listedServices(context, filter)) yield serviceItem(context, row);
  },

  async find(context, word) {
    return serviceItem(context, await findService(context, word));
  },
};

/** Filtered by `-n` and `--name`. */
export async function* listedServices(
  { filterOf, platform, signal }: Context,
  filter: ServiceFilter,
): AsyncGenerator<ServiceRow, void, undefined> {
  const namespace = filterOf('namespace');
  const name = filterOf('name') ?? prefixOf(namespace);
  for await (const row of platform.ecsm
    .services()
    .list(name === undefined ? filter : { ...filter, name }, { signal })) {
    if (namespace === undefined || ownerKeysOf(row.name).some((key) => key.namespace === namespace)) yield row;
  }
}

/** Name filter for a namespace, so that other services are not transferred. */
function prefixOf(namespace: string | undefined): string | undefined {
  if (namespace === undefined || namespace === 'default') return undefined;
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return `${namespace}.`;
  throw new UsageError(`"${namespace}" is not a valid namespace: use lower-case letters, digits and dashes`);
}

/** By name or id; with `-n` by the name within the namespace or by id. Throws `Failure`. */
export async function findService(context: Context, word: string): Promise<ServiceRow> {
  const { platform, signal, filterOf } = context;
  const all = platform.ecsm.services();
  const namespace = filterOf('namespace');
  const named = await all.byName(namespace === undefined ? word : platformName(namespace, word), { signal });
  if (named) return named;
  const detail = await undefinedIfNotFound(() => all.get(word, { signal }));
  const row = detail && (await all.byName(detail.name, { signal }));
  if (row) return row;
  throw await notFound(context, 'service', word, all.list({}, { signal }));
}

function serviceItem(context: Context, row: ServiceRow): Item {
  const states = textsOf(row.containerStatusGroup);
  const wanted = row.policy === 'dynamic' ? numberOf(row.factor) : row.nodeList?.length;
  const online = numberOf(row.instanceOnline);
  return {
    name: row.name,
    value: row,
    cells: [
      row.name,
      ...onlineCells(row.status, online, wanted),
      row.policy,
      imagesOf(row),
      statesCell(states),
      ageCell(context, row.createdTime),
      (row.nodeList ?? []).map(({ nodeName }) => nodeName ?? unknown).join(',') || none,
      textCell(row.pathLabel),
      row.id,
    ],
    whole: () => context.platform.ecsm.services().get(row.id, { signal: context.signal }),
    describe: () => describe(context, row),
  };
}

async function describe(context: Context, row: ServiceRow): Promise<string> {
  const { platform, signal, call } = context;
  const detail = await platform.ecsm.services().get(row.id, { signal });
  const instances: (readonly Cell[])[] = [];
  for await (const one of platform.ecsm.containers().ofServices([row.id], { signal })) {
    instances.push(containerItem(context, one).cells);
  }
  const records: (readonly Cell[])[] = [];
  for await (const one of platform.ecsm.records().list(row.id, { signal })) {
    records.push(recordItem(context, one).cells);
    if (records.length >= recordsMax) break;
  }
  const { out } = call.terminal;
  return [
    fieldLines([
      ['Name', row.name],
      ['Id', row.id],
      ['Owner', ownerText(detail)],
      ['Status', row.status],
      ['Healthy', detail.healthy == null ? unknown : isOn(detail.healthy) ? 'yes' : 'no'],
      ['Policy', row.policy],
      ['Factor', textCell(row.factor)],
      ['Online', textCell(row.instanceOnline)],
      ['Image', textCell(detail.image?.ref)],
      ['Pull policy', textCell(detail.image?.pullPolicy)],
      ['Auto-upgrade', textCell(detail.image?.autoUpgrade)],
      ['Nodes', textsOf(detail.node?.names).join(', ') || none],
      ['Label', textCell(row.pathLabel)],
      ['Created', timeText(context, row.createdTime)],
      ['Updated', timeText(context, row.updatedTime)],
    ]),
    await objectPart('VSOA', detail.image?.vsoa),
    await objectPart('Configuration', detail.image?.config),
    failuresOf(row),
    tablePart('Containers', without('service', { columns: containerColumns, rows: instances }), out),
    tablePart('Records', without('service', { columns: recordColumns, rows: records }), out),
  ].join('');
}

function imagesOf({ imageList }: ServiceRow): string {
  return (imageList ?? []).map(imageText).join(',') || none;
}

function ownerText(detail: ServiceDetail): string {
  const mark = readMark(detail);
  if (!mark) return none;
  return `ECSMService ${mark.namespace}/${mark.name} (registry ${mark.registry})`;
}

function failuresOf({ errorInstance }: ServiceRow): string {
  const lines = (errorInstance ?? []).map(({ nodeName, message }) =>
    visible(`${nodeName ?? unknown}: ${message ? explainedText(redactText(message)) : unknown}`),
  );
  return lines.length === 0 ? '' : part('Failed', `${lines.join('\n')}\n`);
}

/** The API filters by id; the flag takes a reference or an id. */
async function imageIdOf({ platform, signal }: Context, word: string): Promise<string> {
  const [, name, tag, os] = /^([^@#]+)@([^@#]+)(?:#([^@#]+))?$/.exec(word) ?? [];
  if (name === undefined) return word;
  for await (const row of platform.ecsm.images().list({ name }, { signal })) {
    if (row.name === name && row.tag === tag && (os === undefined || row.os === os)) return row.id;
  }
  throw new UsageError(`--image: there is no image "${word}": "ecsm-cli get images" lists them`);
}

async function nodeIdOf(context: Context, word: string): Promise<string> {
  const { findNode } = await import('./nodes.ts');
  return (await findNode(context, word)).id;
}
