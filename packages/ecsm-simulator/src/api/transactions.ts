/** Routes of background operations. No source shows a call that reads one; it exists only by a switch. */
import type { JsonObject } from '@ecsm/runtime';
import type { Transaction } from '../platform/model.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Call } from './call.ts';
import type { Route } from './route.ts';

export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/transaction/:id',
    section: '5',
    mark: 'GUESS',
    handle: get,
    exists: ({ transactionEndpoint }) => transactionEndpoint === 'present',
  },
];

export function transactionObject({ id, status, data, timestampMs }: Transaction): JsonObject {
  return { id, status, data, timestamp: timestampMs };
}

function get(call: Call): JsonObject {
  const id = call.parameter('id');
  const transaction = call.platform.transaction(id);
  // There is no specific error code for transactions.
  if (transaction === undefined) throw new Refusal('noSuchCall', id.slice(0, 100));
  return transactionObject(transaction);
}
