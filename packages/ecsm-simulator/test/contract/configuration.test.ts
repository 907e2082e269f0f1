/** Section 9.2 of the reference: the configuration centre. */
import { collect } from '@ecsm/client';
import { expect, it } from 'vitest';
import { firstPage, nothing, page } from './common-forms.kit.ts';
import { exactly, list, object } from './form.kit.ts';
import { onEveryPlatform, type Site } from './site.kit.ts';

const row = object({ id: 'id', key: 'text', type: 'text', value: 'anything' });

/** Two values, of which the second is not a text; returns the id of the first. */
async function values(on: Site): Promise<string> {
  await on.ecsm.configuration().create({ key: '/sat/rate', type: 'string', value: '10' });
  await on.ecsm.configuration().create({ key: '/sat/limits', type: 'json', value: { max: [1, 2] } });
  const [first] = await collect(on.ecsm.configuration().list());
  on.forget();
  return String(first?.id);
}

onEveryPlatform('configuration', (site) => {
  it('POST /configmap: keeps a value under a key', async () => {
    const on = site();
    const body = { key: '/a/b/test', type: 'String', value: 'x' };
    await on.ecsm.configuration().create(body);
    on.saw('POST /configmap', { body, data: exactly(null) });
    expect(await on.ecsm.configuration().value('/a/b/test')).toBe('x');
  });

  it('PUT /configmap: changes a value, whose id is in the body', async () => {
    const on = site();
    const body = { id: await values(on), key: '/sat/rate', type: 'number', value: 20 };
    await on.ecsm.configuration().update(body);
    on.saw('PUT /configmap', { body, data: nothing });
    expect(await collect(on.ecsm.configuration().list({ key: 'rate' }))).toMatchObject([body]);
  });

  it('DELETE /configmap/:id: deletes a value', async () => {
    const on = site();
    const id = await values(on);
    await on.ecsm.configuration().delete(id);
    on.saw('DELETE /configmap/:id', { path: { id }, data: nothing });
    expect((await collect(on.ecsm.configuration().list())).map(({ key }) => key)).toEqual(['/sat/limits']);
  });

  it('GET /configmap: lists values by part of their key, in a page or in a bare list', async () => {
    const on = site();
    await values(on);
    const isPage = on.behaviour.configurationList === 'page';
    const filled = { query: { ...firstPage, key: 'sat' }, data: isPage ? page(row) : list(row) };
    const { list: rows, total } = await on.ecsm.configuration().page(1, 100, { key: 'sat' });
    const data = on.saw('GET /configmap', filled);
    expect(data).toMatchObject(isPage ? { list: rows, total: 2 } : rows);
    expect(total).toBe(isPage ? 2 : undefined);
    expect(rows).toMatchObject([
      { key: '/sat/rate', type: 'string', value: '10' },
      { key: '/sat/limits', type: 'json', value: { max: [1, 2] } },
    ]);
    expect(await collect(on.ecsm.configuration().list({ key: 'sat' }))).toEqual(rows);
  });

  it('GET /configmap/key: gives the bare value', async () => {
    const on = site();
    await values(on);
    expect(await on.ecsm.configuration().value('/sat/limits')).toEqual({ max: [1, 2] });
    on.saw('GET /configmap/key', { query: { key: '/sat/limits' }, data: exactly({ max: [1, 2] }) });
  });
});
