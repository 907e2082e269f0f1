/**
 * Goal: a controller never decides from half a response. Method: each field that it relies on is taken away or given a
 * wrong type, in every call that shows it, and the error has to name the call and the place.
 */
import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Ecsm } from './ecsm.ts';
import { collect } from './pages.ts';
import { container, node, onePage, rejection, scripted, service } from './scripted.kit.ts';

type Row = Readonly<Record<string, unknown>>;
interface View {
  readonly endpoint: string;
  readonly row: Row;
  readonly fields: readonly string[];
  /** Those that null is a value of. */
  readonly nullable?: readonly string[];
  readonly wrap: (row: unknown) => unknown;
  readonly path: string;
  readonly call: (ecsm: Ecsm) => Promise<unknown>;
}

const serviceFields = ['id', 'name', 'status', 'updatedTime', 'policy'];
const containerFields = ['taskId', 'name', 'serviceId', 'nodeName', 'deployStatus', 'status'];
const asList = { wrap: (row: unknown) => onePage(row), path: 'data.list[0]' };
const bare = { wrap: (row: unknown) => row, path: 'data' };

const views: readonly View[] = [
  {
    endpoint: 'GET /service',
    row: service('s'),
    fields: serviceFields,
    ...asList,
    call: (ecsm) => collect(ecsm.services().list()),
  },
  {
    endpoint: 'GET /service/:id',
    row: service('s'),
    fields: serviceFields,
    ...bare,
    call: (ecsm) => ecsm.services().get('s'),
  },
  {
    endpoint: 'GET /container/service',
    row: container('t'),
    fields: containerFields,
    nullable: ['status'],
    ...asList,
    call: (ecsm) => collect(ecsm.containers().ofServices(['s'])),
  },
  {
    endpoint: 'GET /container/node',
    row: container('t'),
    fields: containerFields,
    nullable: ['status'],
    ...asList,
    call: (ecsm) => collect(ecsm.containers().ofNodes(['n'])),
  },
  {
    endpoint: 'GET /container/:id',
    row: container('t'),
    fields: containerFields,
    nullable: ['status'],
    ...bare,
    call: (ecsm) => ecsm.containers().get('t'),
  },
  {
    endpoint: 'GET /node',
    row: node('n'),
    fields: ['id', 'name', 'status'],
    ...asList,
    call: (ecsm) => collect(ecsm.nodes().list()),
  },
  {
    endpoint: 'GET /node/status',
    row: { id: 'n', status: 'online' },
    fields: ['id', 'status'],
    wrap: (row) => ({ nodes: [row] }),
    path: 'data.nodes[0]',
    call: (ecsm) => ecsm.nodes().status(['n']),
  },
  {
    endpoint: 'GET /node/:id',
    row: node('n'),
    fields: ['id', 'name'],
    ...bare,
    call: (ecsm) => ecsm.nodes().get('n'),
  },
  {
    endpoint: 'POST /service',
    row: { id: 's' },
    fields: ['id'],
    ...bare,
    call: (ecsm) =>
      ecsm
        .services()
        .create({ name: 'a', image: { ref: 'a@1#sylixos', action: 'run', config: {} }, node: { names: [] } }),
  },
];

async function errorOf({ call, wrap }: View, row: unknown): Promise<string> {
  const error = await rejection(call(scripted(() => wrap(row)).ecsm));
  if (!isApiError(error, 'BadAnswer')) throw error;
  return error.message;
}

describe.each(views)('$endpoint', (view) => {
  it('accepts a response with only the required fields', async () => {
    const { ecsm } = scripted(() => view.wrap(view.row));
    await expect(view.call(ecsm)).resolves.toBeDefined();
  });

  it.each(view.fields)('rejects a response without %s, or with a wrong type of it', async (field) => {
    const { [field]: _, ...without } = view.row;
    const start = `unexpected response from ${view.endpoint}: ${view.path}.${field}`;
    expect(await errorOf(view, without)).toBe(`${start} is missing`);
    for (const wrong of [5, true, {}, ['running'], ...(view.nullable?.includes(field) ? [] : [null])]) {
      expect(await errorOf(view, { ...view.row, [field]: wrong })).toMatch(`${start} should be a string, but is`);
    }
  });

  it('rejects a row that is not an object', async () => {
    for (const wrong of [5, true, []]) {
      const message = await errorOf(view, wrong);
      expect(message).toContain(`${view.endpoint}: ${view.path} should be an object`);
    }
  });
});

describe('a page', () => {
  it.each<[unknown, string]>([
    [{ total: 0 }, 'data.list is missing'],
    [{ list: [] }, 'data.total is missing'],
    [{ list: {}, total: 0 }, 'data.list should be a list, but is an object'],
    [{ list: [], total: '0' }, 'data.total should be a whole number, but is a string of 1 characters'],
    [null, 'data should be an object, but is null'],
    ['success', 'data should be an object, but is a string of 7 characters'],
  ])('%j is refused', async (data, message) => {
    const { ecsm } = scripted(() => data);
    await expect(collect(ecsm.services().list())).rejects.toThrow(`GET /service: ${message}`);
  });
});
