import { ApiError, EmbeddedRegistry, isApiError, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Token } from '../kinds/token.ts';
import { BearerAuthenticator } from './bearer.ts';
import { RegistryTokens } from './registry-tokens.ts';
import { createToken, revokeToken } from './tokens.ts';

/** A store in which something happens between a read and the commit that follows it. */
class InterruptedStore extends MemoryStore {
  beforeCommit: (() => Promise<void>) | undefined;

  override async commit(...args: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
    await this.beforeCommit?.();
    return super.commit(...args);
  }
}

function setup() {
  const clock = new VirtualClock();
  const store = new InterruptedStore();
  const registry = new EmbeddedRegistry({ store, kinds: [Token], clock });
  return { store, clock, registry, tokens: new RegistryTokens(registry) };
}

describe('tokens in a registry', () => {
  it('are read as they were created', async () => {
    const { clock, tokens } = setup();
    const { record } = await createToken(tokens, clock, { user: 'jane', groups: ['dev'], description: 'laptop' });
    const other = await createToken(tokens, clock, { user: 'bob' });
    expect(await tokens.get(record.id)).toEqual(record);
    expect(await tokens.get('missing')).toBeUndefined();
    const byId = (one: { id: string }, two: { id: string }) => one.id.localeCompare(two.id);
    expect([...(await tokens.list())].sort(byId)).toEqual([record, other.record].sort(byId));
  });

  it('are listed in pages', async () => {
    const { clock, tokens } = setup();
    for (let index = 0; index < 501; index++) await createToken(tokens, clock, { user: 'jane' });
    expect(await tokens.list()).toHaveLength(501);
  });

  it('authenticate until they are revoked, once and for all', async () => {
    const { clock, tokens } = setup();
    const { record, token } = await createToken(tokens, clock, { user: 'jane' });
    const bearer = new BearerAuthenticator(tokens, clock);
    expect(await bearer.userOf(token)).toMatchObject({ name: 'jane' });
    await revokeToken(tokens, clock, record.id);
    clock.step(60_000);
    await revokeToken(tokens, clock, record.id);
    expect((await tokens.get(record.id))?.revoked).toBe('2026-01-02T03:04:05Z');
    await clock.advance(2_000);
    await expect(bearer.userOf(token)).rejects.toThrow('revoked');
  });

  it('cannot be revoked if they do not exist, or created twice', async () => {
    const { clock, tokens } = setup();
    const { record } = await createToken(tokens, clock, { user: 'jane' });
    const codeOf = async (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: unknown) => isApiError(error) && error.code,
      );
    expect(await codeOf(revokeToken(tokens, clock, 'missing'))).toBe('NotFound');
    expect(await codeOf(tokens.create(record))).toBe('AlreadyExists');
  });

  it('are revoked although another process changes them at the same time', async () => {
    const { clock, registry, tokens } = setup();
    const { record } = await createToken(tokens, clock, { user: 'jane' });
    const resource = registry.resource(Token);
    const edits = Array.from({ length: 20 }, (_, index) =>
      resource.patch(record.id, { spec: { description: `edit ${index}` } }),
    );
    await Promise.all([...edits, revokeToken(tokens, clock, record.id), revokeToken(tokens, clock, record.id)]);
    expect((await tokens.get(record.id))?.revoked).toBe('2026-01-02T03:04:05Z');
  });

  it('keep the time of a revocation that another process stored in the meantime', async () => {
    const { store, clock, tokens } = setup();
    const { record } = await createToken(tokens, clock, { user: 'jane' });
    store.beforeCommit = async () => {
      store.beforeCommit = undefined;
      await tokens.revoke(record.id, '2026-01-01T00:00:00Z');
    };
    await revokeToken(tokens, clock, record.id);
    expect((await tokens.get(record.id))?.revoked).toBe('2026-01-01T00:00:00Z');
  });

  it('are not revoked, and this is said, if the store fails', async () => {
    const { store, clock, tokens } = setup();
    const { record } = await createToken(tokens, clock, { user: 'jane' });
    store.beforeCommit = async () => {
      throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    };
    await expect(revokeToken(tokens, clock, record.id)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
