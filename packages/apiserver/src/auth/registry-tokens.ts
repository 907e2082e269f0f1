/** Tokens as objects of the kind Token, on any registry: a server, and ecsmctl on a local or a remote one. */
import { isApiError, type Registry, type Resource } from '@ecsm/runtime';
import { Token } from '../kinds/token.ts';
import type { TokenRecord, TokenStore } from './tokens.ts';

type TokenInput = Parameters<Resource<Token['spec'], undefined>['create']>[0];

/** Tokens in a page of a list. */
const pageTokens = 500;

export class RegistryTokens implements TokenStore {
  readonly #registry: Registry;

  /** The registry has to be opened with the kind Token. */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async get(id: string): Promise<TokenRecord | undefined> {
    try {
      return recordOf(await this.#registry.resource(Token).get(id));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list(): Promise<readonly TokenRecord[]> {
    const records: TokenRecord[] = [];
    let from = {};
    for (;;) {
      const page = await this.#registry.resource(Token).list({ limit: pageTokens, ...from });
      records.push(...page.items.map(recordOf));
      if (page.continue === undefined) return records;
      from = { continue: page.continue };
    }
  }

  async create({ id, user, groups, description, hash, expires }: TokenRecord): Promise<void> {
    const input: TokenInput = {
      metadata: { name: id },
      spec: {
        user,
        groups,
        hash,
        ...(description === '' ? {} : { description }),
        ...(expires === undefined ? {} : { expires }),
      },
    };
    await this.#registry.resource(Token).create(input);
  }

  async revoke(id: string, time: string): Promise<void> {
    const tokens = this.#registry.resource(Token);
    for (;;) {
      const { metadata, spec } = await tokens.get(id);
      if (spec.revoked !== undefined) return;
      try {
        await tokens.patch(id, { spec: { revoked: time } }, { resourceVersion: metadata.resourceVersion });
        return;
      } catch (error) {
        // Another process has changed it: a revocation by that one is as good.
        if (!isApiError(error, 'Conflict')) throw error;
      }
    }
  }
}

function recordOf({ metadata, spec }: Token): TokenRecord {
  return {
    id: metadata.name,
    hash: spec.hash,
    user: spec.user,
    groups: spec.groups,
    description: spec.description ?? '',
    created: metadata.creationTimestamp,
    expires: spec.expires,
    revoked: spec.revoked,
  };
}
