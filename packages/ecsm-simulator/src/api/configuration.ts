/** Routes of the configuration centre: values by key. */
import { type JsonObject, type JsonValue, shape } from '@ecsm/runtime';
import type { ConfigurationEntry } from '../platform/model.ts';
import type { Call } from './call.ts';
import { known } from './known.ts';
import { pageOf, readPage } from './paging.ts';
import type { Route } from './route.ts';
import { jsonValue, text } from './shapes.ts';
import { searchFor } from './text.ts';

export const configurationRoutes: readonly Route[] = [
  { method: 'POST', path: '/configmap', section: '9.2', mark: 'DOC', handle: create },
  { method: 'PUT', path: '/configmap', section: '9.2', mark: 'FORK', handle: update },
  { method: 'DELETE', path: '/configmap/:id', section: '9.2', mark: 'FORK', handle: remove },
  { method: 'GET', path: '/configmap', section: '9.2', mark: 'FORK', handle: list },
  { method: 'GET', path: '/configmap/key', section: '9.2', mark: 'FORK', handle: getValue },
];

/** The sources differ about the values of `type`, so any is accepted. */
const fields = { key: text, type: text, value: jsonValue };

function create(call: Call): null {
  const { key, type, value } = call.body(shape.object(fields));
  call.platform.putConfiguration({ key, type, value });
  return null;
}

function update(call: Call): null {
  const { id, key, type, value } = call.body(shape.object({ id: text, ...fields }));
  call.platform.putConfiguration({ id: knownEntry(call, id).id, key, type, value });
  return null;
}

function remove(call: Call): null {
  call.platform.deleteConfiguration(knownEntry(call, call.parameter('id')).id);
  return null;
}

function list(call: Call): JsonValue {
  const isFound = searchFor(call.query.text('key'));
  const entries = call.platform.configuration().filter(({ key }) => isFound(key));
  if (call.behaviour.configurationList === 'page') return pageOf(call, entries, entryRow);
  const { from, to } = readPage(call.query, call.behaviour);
  return entries.slice(from, to).map(entryRow);
}

function getValue({ platform, query }: Call): JsonValue {
  const key = query.required('key');
  const entry = platform.configuration().find((one) => one.key === key);
  return known(entry, 'configurationNotFound', key).value;
}

function knownEntry({ platform }: Call, id: string): ConfigurationEntry {
  const entry = platform.configuration().find((one) => one.id === id);
  return known(entry, 'configurationNotFound', id);
}

function entryRow({ id, key, type, value }: ConfigurationEntry): JsonObject {
  return { id, key, type, value };
}
