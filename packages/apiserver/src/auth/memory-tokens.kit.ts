/** A token store for tests. */
import { ApiError } from '@ecsm/runtime';
import type { TokenRecord, TokenStore } from './tokens.ts';

export class MemoryTokens implements TokenStore {
  readonly records = new Map<string, TokenRecord>();
  reads = 0;

  async get(id: string): Promise<TokenRecord | undefined> {
    this.reads++;
    return this.records.get(id);
  }

  async list(): Promise<readonly TokenRecord[]> {
    return [...this.records.values()];
  }

  async create(record: TokenRecord): Promise<void> {
    if (this.records.has(record.id)) throw new ApiError('AlreadyExists', { kind: 'Token', name: record.id });
    this.records.set(record.id, record);
  }

  async revoke(id: string, time: string): Promise<void> {
    const record = this.records.get(id);
    if (!record) throw new ApiError('NotFound', { kind: 'Token', name: id });
    this.records.set(id, { ...record, revoked: record.revoked ?? time });
  }
}
