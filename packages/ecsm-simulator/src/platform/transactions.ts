/** Transactions: asynchronous operations that end after a given time. */
import type { JsonValue } from '@ecsm/runtime';
import type { ScheduledEvent, Transaction } from './model.ts';
import type { World } from './world.ts';

/** The oldest are dropped. */
export const transactionsMax = 10_000;

/** It succeeds at `endsMs`: impossible operations are rejected before a transaction is created. */
export function startTransaction(world: World, endsMs: number, data: JsonValue = null): Transaction {
  const transaction: Transaction = { id: world.uuid(), status: 'running', data, timestampMs: world.nowMs };
  world.transactions.set(transaction.id, transaction);
  world.schedule('transactionDone', transaction.id, endsMs - world.nowMs);
  return { ...transaction };
}

export const transactionEvents = {
  transactionDone(world: World, { subject }: ScheduledEvent): void {
    const transaction = world.transactions.get(subject);
    if (transaction === undefined) return;
    transaction.status = 'success';
    transaction.timestampMs = world.nowMs;
  },
} as const;
