/** The capability `encoded`: objects as text are those that are read as objects. */
import { Region, Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import type { Kind } from '../../api/kind.ts';
import type { EncodedList, EncodedReads } from '../contract.ts';
import { failure, type RegistrySuite } from './suite.kit.ts';

/** The objects of a list. */
const parsed = ({ items }: EncodedList): unknown[] => JSON.parse(`[${Buffer.concat(items)}]`);

export function encodedRules(suite: RegistrySuite): void {
  const { widgets, whereCapable, whereDamaged, damage } = suite;

  whereCapable('encoded', 'objects as text', () => {
    const encoded = (kind: Kind = Widget) => (suite.registry.capabilities.encoded as EncodedReads).resource(kind);

    it('are the JSON of the objects, with their versions', async () => {
      await widgets().create({ metadata: { name: 'a', namespace: 'other' }, spec: {} }, { manager: 'me' });
      await widgets().updateStatus({ metadata: { name: 'a', namespace: 'other' }, status: { phase: 'Ready' } });
      await suite.registry.resource(Region).create({ metadata: { name: 'system:edge' }, spec: {} });
      const widget = await widgets().get('a', { namespace: 'other' });
      expect(JSON.parse(await encoded().get('a', { namespace: 'other' }))).toEqual(widget);
      const region = await suite.registry.resource(Region).get('system:edge');
      expect(JSON.parse(await encoded(Region).get('system:edge'))).toEqual(region);
    });

    it('are selected and divided into pages as the objects are', async () => {
      for (const name of ['a', 'b', 'c']) {
        await widgets().create({ metadata: { name, labels: { first: String(name === 'a') } }, spec: {} });
      }
      const selections = [{}, { limit: 2 }, { labelSelector: 'first=false' }, { fieldSelector: 'metadata.name=b' }];
      for (const options of selections) {
        const list = await encoded().list(options);
        expect({ ...list, items: parsed(list) }).toEqual(await widgets().list(options));
      }
      const { continue: token = '' } = await encoded().list({ limit: 2 });
      expect(parsed(await encoded().list({ continue: token }))).toEqual([JSON.parse(await encoded().get('c'))]);
    });

    it('are those that writes return', async () => {
      const place = { name: 'a', namespace: 'other' };
      const created = await widgets().create({ metadata: place, spec: { size: 1 } }, { manager: 'me' });
      const updated = await widgets().update({ ...created, spec: { size: 2 } }, { manager: 'me' });
      const patched = await widgets().patch('a', { metadata: { annotations: { note: '"ä"' } } }, place);
      const status = await widgets().updateStatus({ metadata: place, status: { phase: 'Ready' } });
      const applied = await widgets().apply({ metadata: { name: 'b' }, spec: {} }, { manager: 'me' });
      const region = await suite.registry.resource(Region).create({ metadata: { name: 'system:edge' }, spec: {} });
      for (const object of [created, updated, patched, status, applied.object]) {
        expect(JSON.parse(encoded().written(object) ?? '')).toEqual(object);
      }
      expect(JSON.parse(encoded(Region).written(region) ?? '')).toEqual(region);
    });

    it('are not known of an object that was read, or that was not written', async () => {
      const { metadata } = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const read = await widgets().get('a');
      const dry = await widgets().update({ ...read, spec: { size: 3 } }, { dryRun: true });
      for (const object of [read, dry, { ...read, metadata }]) expect(encoded().written(object)).toBeUndefined();
    });

    it('fail as reads of objects do', async () => {
      expect(await failure(encoded().get('none'))).toEqual(await failure(widgets().get('none')));
      expect((await failure(encoded().list({ labelSelector: '=' }))).code).toBe('BadRequest');
    });

    whereDamaged('are not read from a record of another name, or without its kind', async () => {
      const { metadata, ...widget } = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const records = ['[]', JSON.stringify({ ...widget, metadata }), JSON.stringify({ metadata })];
      for (const [n, text] of records.entries()) {
        await damage(`example.io/v1/widgets/default/broken${n}`, text);
        expect(await failure(encoded().get(`broken${n}`))).toEqual(await failure(widgets().get(`broken${n}`)));
      }
      const list = await encoded().list();
      expect(parsed(list)).toHaveLength(1);
      expect(list.problems).toEqual((await widgets().list()).problems);
    });

    whereDamaged('are read from a record with another order of fields', async () => {
      const { apiVersion, kind, metadata, spec } = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const { resourceVersion: _, ...stored } = metadata;
      await damage('example.io/v1/widgets/default/a', JSON.stringify({ spec, metadata: stored, kind, apiVersion }));
      expect(JSON.parse(await encoded().get('a'))).toEqual(await widgets().get('a'));
      expect(parsed(await encoded().list())).toEqual([await widgets().get('a')]);
    });

    it('are listed completely if they need several buffers, and if there are none', async () => {
      expect(parsed(await encoded().list())).toEqual([]);
      for (const [n, length] of [10, 250_000, 20, 200_000].entries()) {
        await widgets().create({
          metadata: { name: `w${n}`, annotations: { note: 'ä'.repeat(length / 2) } },
          spec: {},
        });
      }
      expect(parsed(await encoded().list())).toEqual((await widgets().list()).items);
    });

    it('are listed with text that is not ASCII', async () => {
      await widgets().create({ metadata: { name: 'a', annotations: { note: 'ä 漢 🙂' } }, spec: {} });
      expect(parsed(await encoded().list())).toEqual([await widgets().get('a')]);
    });
  });
}
