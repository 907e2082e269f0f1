import { Region, Widget } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { failure } from '../config/config.kit.ts';
import { answer, cleanUp, statusBody } from '../rest/server.kit.ts';
import { ConfigMap, scriptedRegistry, widget, widgetsPath } from './widget.kit.ts';

afterEach(cleanUp);

const details = { name: 'a', group: 'example.io', kind: 'widgets' };
const notFound = statusBody(404, 'NotFound', 'widgets.example.io "a" not found', details);
const conflict = statusBody(
  409,
  'Conflict',
  'Operation cannot be fulfilled on widgets.example.io "a": the object has been modified',
  details,
);
const rejectedPatch = statusBody(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
const deleted = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { ...details, uid: 'uid-of-a' },
};
const write = { fieldManager: 'ecsm', fieldValidation: 'Strict' };

describe('a resource', () => {
  it('gets an object as it is, with unknown fields', async () => {
    const object = { ...widget('a', 7), extra: true };
    const { widgets, received } = await scriptedRegistry((_, response) => answer(response, 200, object));
    expect(await widgets.get('a', { namespace: 'x' })).toEqual(object);
    expect(received[0]).toMatchObject({ method: 'GET', path: '/apis/example.io/v1/namespaces/x/widgets/a', query: {} });
  });

  it('refuses names that would be other paths', async () => {
    const { widgets, received } = await scriptedRegistry((_, response) => answer(response, 200, {}));
    for (const name of ['', '.', '..', 'a/b', 'a%2fb'])
      expect((await failure(widgets.get(name))).code).toBe('BadRequest');
    expect(received).toEqual([]);
  });

  it('does not accept an object of another kind, or none', async () => {
    for (const body of [{ ...widget('a', 1), kind: 'Gadget' }, { kind: 'Widget' }, []]) {
      const { widgets } = await scriptedRegistry((_, response) => answer(response, 200, body));
      expect((await failure(widgets.get('a'))).code).toBe('BadAnswer');
    }
  });

  it('creates with apiVersion, kind and namespace, and names its manager', async () => {
    const { widgets, registry, received } = await scriptedRegistry(({ path }, response) =>
      answer(response, 201, path.includes('regions') ? { ...widget('r', 8), kind: 'Region' } : widget('a', 7)),
    );
    await widgets.create({ metadata: { name: 'a' }, spec: { size: 2 } }, { dryRun: true, manager: 'me' });
    await registry.resource(Region).create({ metadata: { name: 'r' }, spec: {} });
    expect(received.map(({ method, path, query, body }) => [method, path, query, JSON.parse(body)])).toEqual([
      [
        'POST',
        widgetsPath,
        { ...write, fieldManager: 'me', dryRun: 'All' },
        {
          apiVersion: 'example.io/v1',
          kind: 'Widget',
          metadata: { name: 'a', namespace: 'default' },
          spec: { size: 2 },
        },
      ],
      [
        'POST',
        '/apis/example.io/v1/regions',
        write,
        { apiVersion: 'example.io/v1', kind: 'Region', metadata: { name: 'r' }, spec: {} },
      ],
    ]);
  });

  it('accepts an object without a version from a dry run alone', async () => {
    const { metadata, ...rest } = widget('a', 7);
    const { resourceVersion: _, ...unversioned } = metadata;
    const { widgets } = await scriptedRegistry((_received, response) =>
      answer(response, 201, { ...rest, metadata: unversioned }),
    );
    const object = { metadata: { name: 'a' }, spec: {} };
    expect((await widgets.create(object, { dryRun: true })).metadata.resourceVersion).toBe('0');
    expect((await failure(widgets.create(object))).code).toBe('Unavailable');
  });

  it('suggests the field that was meant', async () => {
    const message =
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.color"';
    const { widgets } = await scriptedRegistry((_, response) =>
      answer(response, 400, statusBody(400, 'BadRequest', message)),
    );
    expect((await failure(widgets.create({ metadata: { name: 'a' }, spec: {} }))).message).toBe(
      'Widget "a" is invalid: spec.color: Unknown field: did you mean "colour"?',
    );
  });

  it('replaces a status without reading the object', async () => {
    const { widgets, received } = await scriptedRegistry((_, response) => answer(response, 200, widget('a', 8)));
    await widgets.updateStatus({ metadata: { name: 'a', uid: 'u' }, status: { phase: 'x' } }, { resourceVersion: '7' });
    await widgets.updateStatus({ metadata: { name: 'a' } });
    expect(
      received.map(({ method, path, headers, body }) => [method, path, headers['content-type'], JSON.parse(body)]),
    ).toEqual([
      [
        'PATCH',
        `${widgetsPath}/a/status`,
        'application/json-patch+json',
        [
          { op: 'test', path: '/metadata/uid', value: 'u' },
          { op: 'add', path: '/metadata/resourceVersion', value: '7' },
          { op: 'add', path: '/status', value: { phase: 'x' } },
        ],
      ],
      [
        'PATCH',
        `${widgetsPath}/a/status`,
        'application/json-patch+json',
        [
          { op: 'add', path: '/status', value: {} },
          { op: 'remove', path: '/status' },
        ],
      ],
    ]);
  });

  it('has a Conflict with another object of the same name', async () => {
    const uid = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "u": field is immutable',
      field: 'metadata.uid',
    };
    const { widgets } = await scriptedRegistry(({ path }, response) =>
      answer(
        response,
        422,
        path.endsWith('/status') ? rejectedPatch : statusBody(422, 'Invalid', 'x', { ...details, causes: [uid] }),
      ),
    );
    const status = { metadata: { name: 'a', uid: 'u' }, status: {} };
    const other = {
      code: 'Conflict',
      message: 'Widget "a": the uid is not u: this is another object of the same name',
    };
    expect(await failure(widgets.updateStatus(status))).toEqual(other);
    expect(await failure(widgets.patch('a', {}, { uid: 'u' }))).toEqual(other);
    expect((await failure(widgets.updateStatus({ metadata: { name: 'a' } }))).code).toBe('Invalid');
  });

  it('patches with its precondition in the metadata', async () => {
    const { widgets, received } = await scriptedRegistry((_, response) => answer(response, 200, widget('a', 8)));
    await widgets.patch('a', { spec: { size: null } }, { uid: 'u', resourceVersion: '7' });
    expect(received[0]).toMatchObject({ method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      spec: { size: null },
      metadata: { uid: 'u', resourceVersion: '7' },
    });
    expect((await failure(widgets.patch('a', 'nonsense'))).code).toBe('BadRequest');
  });

  it('has no status to update if the kind has none', async () => {
    const { registry } = await scriptedRegistry((_, response) => answer(response, 200, {}));
    const update = registry.resource(Region).updateStatus({ metadata: { name: 'r' } });
    expect(await failure(update)).toEqual({ code: 'BadRequest', message: 'Region has no status' });
  });

  it('writes top-level fields of a core kind', async () => {
    const { registry, received } = await scriptedRegistry((_, response) =>
      answer(response, 201, {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: widget('a', 7).metadata,
        data: { x: 'y' },
      }),
    );
    const made = await registry.resource(ConfigMap).create(ConfigMap.input({ name: 'a' }, { data: { x: 'y' } }));
    expect(ConfigMap.fieldsOf(made).data).toEqual({ x: 'y' });
    expect(received[0]?.path).toBe('/api/v1/namespaces/default/configmaps');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { x: 'y' },
    });
  });
});

describe('an apply', () => {
  const exported = {
    ...widget('a', 7),
    status: { phase: 'x' },
    metadata: { ...widget('a', 7).metadata, labels: { l: '1' }, annotations: {}, finalizers: [], managedFields: [{}] },
  };

  it('sends what the caller owns, and says what has happened', async () => {
    let before: number | undefined;
    const { widgets, received } = await scriptedRegistry(({ method }, response) => {
      if (method === 'PATCH') answer(response, before === undefined ? 201 : 200, widget('a', 8));
      else if (before === undefined) answer(response, 404, notFound);
      else answer(response, 200, widget('a', before));
    });
    expect((await widgets.apply(exported, { manager: 'me', force: true })).outcome).toBe('created');
    before = 7;
    expect((await widgets.apply(exported)).outcome).toBe('configured');
    before = 8;
    expect((await widgets.apply(exported, { uid: 'u', resourceVersion: '8' })).outcome).toBe('unchanged');
    const patches = received.filter(({ method }) => method === 'PATCH');
    expect(patches[0]).toMatchObject({
      path: `${widgetsPath}/a`,
      query: { ...write, fieldManager: 'me', force: 'true' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(patches[1]?.query).toEqual(write);
    const own = { name: 'a', namespace: 'default', labels: { l: '1' } };
    expect(patches.map(({ body }) => JSON.parse(body).metadata)).toEqual([
      own,
      own,
      { ...own, uid: 'u', resourceVersion: '8' },
    ]);
    expect(JSON.parse(patches[0]?.body ?? '')).not.toHaveProperty('status');
  });

  it('of the status sends nothing else', async () => {
    const { widgets, received } = await scriptedRegistry(({ method }, response) =>
      answer(response, 200, widget('a', method === 'GET' ? 7 : 8)),
    );
    await widgets.apply({ ...exported, status: { phase: 'Up' } }, { subresource: 'status' });
    const sent = received.find(({ method }) => method === 'PATCH');
    expect(sent?.path).toBe(`${widgetsPath}/a/status`);
    const { spec, status } = JSON.parse(sent?.body ?? '');
    expect([spec, status]).toEqual([undefined, { phase: 'Up' }]);
  });

  it('compares objects on a dry run, whose version does not change', async () => {
    let after = widget('a', 7);
    const { widgets } = await scriptedRegistry(({ method }, response) =>
      answer(response, 200, method === 'GET' ? widget('a', 7) : after),
    );
    expect((await widgets.apply(exported, { dryRun: true })).outcome).toBe('unchanged');
    after = widget('a', 7, { size: 9 });
    expect((await widgets.apply(exported, { dryRun: true })).outcome).toBe('configured');
  });
});

describe('a deletion', () => {
  it('returns the object as it was, or as it was marked', async () => {
    const marked = {
      ...widget('a', 8),
      metadata: { ...widget('a', 8).metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
    };
    let response8: object = deleted;
    const { widgets, received } = await scriptedRegistry(({ method }, response) =>
      answer(response, 200, method === 'GET' ? widget('a', 7) : response8),
    );
    expect(await widgets.delete('a', { resourceVersion: '7' })).toEqual(widget('a', 7));
    response8 = marked;
    expect(await widgets.delete('a', { dryRun: true, uid: 'u' })).toEqual(marked);
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
    expect(received.filter(({ method }) => method === 'DELETE').map(({ body }) => JSON.parse(body))).toEqual([
      { ...options, preconditions: { uid: 'uid-of-a', resourceVersion: '7' } },
      { ...options, preconditions: { uid: 'u' }, dryRun: ['All'] },
    ]);
  });

  it('of a missing object is undefined, before or at the deletion', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { widgets } = await scriptedRegistry((received, response) =>
        received.method === method ? answer(response, 404, notFound) : answer(response, 200, widget('a', 7)),
      );
      expect(await widgets.delete('a')).toBeUndefined();
    }
  });

  it('is repeated for an object that was replaced meanwhile, and not with a precondition', async () => {
    let replacements = 1;
    const { widgets, received } = await scriptedRegistry(({ method }, response) => {
      if (method === 'GET') answer(response, 200, widget('a', 7));
      else if (replacements-- > 0) answer(response, 409, conflict);
      else answer(response, 200, deleted);
    });
    expect((await widgets.delete('a'))?.metadata.name).toBe('a');
    expect(received).toHaveLength(4);
    replacements = 1;
    expect((await failure(widgets.delete('a', { uid: 'uid-of-a' }))).code).toBe('Conflict');
  });

  it('is not repeated for ever if the server refuses it for a reason of its own', async () => {
    const refused = statusBody(
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.io "a": it is held',
      details,
    );
    const { widgets, received } = await scriptedRegistry(({ method }, response, count) => {
      if (count > 50) answer(response, 200, deleted);
      else if (method === 'GET') answer(response, 200, widget('a', 7));
      else answer(response, 409, refused);
    });
    expect(await failure(widgets.delete('a'))).toMatchObject({ code: 'Conflict' });
    expect(received.length).toBeLessThan(10);
  });
});

describe('an observer', () => {
  it('gets every write and every failure of the server, and no conflict, dry run or write without a change', async () => {
    const responses: [status: number, body: unknown][] = [
      [201, widget('a', 7)],
      [201, widget('b', 8)],
      [409, conflict],
      [200, widget('a', 7)],
      [500, statusBody(500, 'InternalError', 'down')],
      [200, '<html>'],
    ];
    const { registry } = await scriptedRegistry((_, response) => answer(response, ...(responses.shift() ?? [200, {}])));
    const seen: unknown[] = [];
    const widgets = registry
      .observedBy({ written: (...written) => seen.push(written), failed: (error) => seen.push(String(error)) })
      .resource(Widget);
    const made = await widgets.create({ metadata: { name: 'a' }, spec: {} });
    await widgets.create({ metadata: { name: 'b' }, spec: {} }, { dryRun: true });
    await failure(widgets.update(made));
    await widgets.update(made);
    await failure(widgets.update(made));
    expect((await failure(widgets.update(made))).code).toBe('Unavailable');
    expect(seen).toEqual([
      ['7', ['example.io/v1/widgets/default/a']],
      expect.stringContaining('down'),
      expect.stringContaining('it is not JSON'),
    ]);
  });
});
