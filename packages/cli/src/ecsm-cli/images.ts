/** Images, as `get` and `describe` show them. */
import { type ImageRow, isOn, localRegistry, numberOf } from '@ecsm/client';
import { Failure } from '@ecsm/command-line';
import { formatBytes } from '../print/amount.ts';
import { ageCell, imageText, textCell, timeText, unknown } from './cells.ts';
import { notFound } from './not-found.ts';
import type { Context, Item, Resource } from './resource.ts';
import { fieldLines, objectPart } from './text.ts';

/** The unit of sizes on the platform. */
const megabyte = 1024 * 1024;

export const images: Resource = {
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
    const { filterOf, platform, signal } = context;
    const only = (field: 'name' | 'os' | 'author') => {
      const text = filterOf(field);
      return text === undefined ? {} : { [field]: text };
    };
    const filter = { registryId: registryOf(context), ...only('name'), ...only('os'), ...only('author') };
    for await (const row of platform.ecsm.images().list(filter, { signal })) yield itemOf(context, row);
  },

  async find(context, word) {
    return itemOf(context, await findImage(context, word, registryOf(context)));
  },
};

/** By id, or by `name@tag#os`; tag and OS are optional if only one image matches. Throws `Failure`. */
export async function findImage(context: Context, word: string, registryId: string): Promise<ImageRow> {
  const { platform, signal } = context;
  const [, name = word, tag, os] = /^([^@#]+)(?:@([^@#]+))?(?:#([^@#]+))?$/.exec(word) ?? [];
  const matching: ImageRow[] = [];
  for await (const row of platform.ecsm.images().list({ registryId, name }, { signal })) {
    const matches = (part: string | undefined, value: unknown) => part === undefined || part === value;
    if (row.name === name && matches(tag, row.tag) && matches(os, row.os)) matching.push(row);
  }
  const [first, second] = matching;
  if (first && second) {
    throw new Failure(`"${word}" is ambiguous: ${matching.map(imageText).join(' or ')}. Use name@tag#os`);
  }
  if (first) return first;
  const others: { readonly name: string }[] = [];
  for await (const row of platform.ecsm.images().list({ registryId }, { signal })) {
    if (row.id === word) return row;
    others.push({ name: imageText(row) });
  }
  throw await notFound(context, 'image', word, iterable(others));
}

function registryOf({ filterOf }: Context): string {
  return filterOf('registry') ?? localRegistry;
}

function detailOf(context: Context, id: string) {
  const { platform, signal } = context;
  return platform.ecsm.images().get(id, { signal, registryId: registryOf(context) });
}

function itemOf(context: Context, row: ImageRow): Item {
  return {
    name: imageText(row),
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
    ['Reference', imageText(row)],
    ['Id', row.id],
    ['Registry', registryOf(context)],
    ['Path', textCell(detail.path)],
    ['Architecture', textCell(row.arch)],
    ['Size', sizeOf(row)],
    ['Author', textCell(row.author)],
    ['Description', textCell(row.description)],
    ['OCI version', textCell(row.ociVersion)],
    ['Created', timeText(context, row.createdTime)],
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
