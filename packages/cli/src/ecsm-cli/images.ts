/** Images, as `get` and `describe` show them. */
import { type ImageRow, isOn, localRegistry, numberOf } from '@ecsm/client';
import { Failure } from '@ecsm/command-line';
import { formatBytes } from '../print/age.ts';
import { ageCell, momentText, textCell, unknown } from './cells.ts';
import { missing } from './missing.ts';
import type { Context, Item, Noun } from './noun.ts';
import { fieldLines, objectPart } from './text.ts';

/** The platform counts in these. */
const megabyte = 1024 * 1024;

export const images: Noun = {
  kind: 'image',
  columns: [
    { name: 'name', shrink: true },
    { name: 'tag', shrink: true },
    { name: 'os' },
    { name: 'arch' },
    { name: 'size', align: 'right' },
    { name: 'age' },
    { name: 'author', wide: true },
    { name: 'description', wide: true, shrink: true },
    { name: 'id', wide: true },
  ],

  async *list(context) {
    const { said, platform, signal } = context;
    const only = (field: 'name' | 'os' | 'author') => {
      const text = said(field);
      return text === undefined ? {} : { [field]: text };
    };
    const filter = { registryId: registryOf(context), ...only('name'), ...only('os'), ...only('author') };
    for await (const row of platform.ecsm.images().list(filter, { signal })) yield itemOf(context, row);
  },

  async find(context, word) {
    return itemOf(context, await findImage(context, word, registryOf(context)));
  },
};

export function referenceOf({ name, tag, os }: ImageRow): string {
  return `${name}${tag ? `@${tag}` : ''}${os ? `#${os}` : ''}`;
}

/** By id, or by `name@tag#os`, of which the tag and the system may be left out if one fits. */
export async function findImage(context: Context, word: string, registryId: string): Promise<ImageRow> {
  const { platform, signal } = context;
  const [, name = word, tag, os] = /^([^@#]+)(?:@([^@#]+))?(?:#([^@#]+))?$/.exec(word) ?? [];
  const fitting: ImageRow[] = [];
  for await (const row of platform.ecsm.images().list({ registryId, name }, { signal })) {
    const fits = (part: string | undefined, value: unknown) => part === undefined || part === value;
    if (row.name === name && fits(tag, row.tag) && fits(os, row.os)) fitting.push(row);
  }
  const [first, second] = fitting;
  if (first && second) {
    throw new Failure(`"${word}" is ambiguous: ${fitting.map(referenceOf).join(' or ')}. Use name@tag#os`);
  }
  if (first) return first;
  const others: { readonly name: string }[] = [];
  for await (const row of platform.ecsm.images().list({ registryId }, { signal })) {
    if (row.id === word) return row;
    others.push({ name: referenceOf(row) });
  }
  throw await missing(context, 'image', word, iterable(others));
}

function registryOf({ said }: Context): string {
  return said('registry') ?? localRegistry;
}

function detailOf(context: Context, id: string) {
  const { platform, signal } = context;
  return platform.ecsm.images().get(id, { signal, registryId: registryOf(context) });
}

function itemOf(context: Context, row: ImageRow): Item {
  return {
    name: referenceOf(row),
    value: row,
    cells: [
      row.name,
      textCell(row.tag),
      textCell(row.os),
      textCell(row.arch),
      sizeOf(row),
      ageCell(context, row.createdTime),
      textCell(row.author),
      textCell(row.description),
      row.id,
    ],
    whole: () => detailOf(context, row.id),
    describe: () => describe(context, row),
  };
}

async function describe(context: Context, row: ImageRow): Promise<string> {
  const detail = await detailOf(context, row.id);
  const fields = fieldLines([
    ['Reference', referenceOf(row)],
    ['Id', row.id],
    ['Registry', registryOf(context)],
    ['Path', textCell(detail.path)],
    ['Architecture', textCell(row.arch)],
    ['Size', sizeOf(row)],
    ['Author', textCell(row.author)],
    ['Description', textCell(row.description)],
    ['OCI version', textCell(row.ociVersion)],
    ['Created', momentText(context, row.createdTime)],
    ['Pulled', typeof row.pulled === 'string' ? row.pulled : isOn(row.pulled) ? 'yes' : 'no'],
  ]);
  return fields + (await objectPart('Configuration', detail.config));
}

function sizeOf({ size }: ImageRow): string {
  const number = numberOf(size);
  return number === undefined ? unknown : formatBytes(number * megabyte);
}

async function* iterable<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
