/** Asynchronous operations, as far as a caller is told of them: one runs until its time has come. */
import type { JsonValue } from '@ecsm/runtime';
import type { Appointment, Transaction } from './model.ts';
import type { World } from './world.ts';

/** Beyond it the oldest is forgotten: no client of the real platform can ask for one at all. */
export const transactionsMax = 10_000;

/** It ends well at `endsMs`: whatever cannot be done is refused before there is a transaction. */
export function beginTransaction(world: World, endsMs: number, data: JsonValue = null): Transaction {
  const transaction: Transaction = { id: world.uuid(), status: 'running', data, timestampMs: world.nowMs };
  world.transactions.set(transaction.id, transaction);
  world.schedule('transactionDone', transaction.id, endsMs - world.nowMs);
  return { ...transaction };
}

export const transactionEvents = {
  transactionDone(world: World, { subject }: Appointment): void {
    const transaction = world.transactions.get(subject);
    if (transaction === undefined) return;
    transaction.status = 'success';
    transaction.timestampMs = world.nowMs;
  },
} as const;
