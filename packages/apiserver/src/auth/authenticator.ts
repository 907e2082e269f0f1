/** Several ways to authenticate, tried one after the other. */
import { isApiError } from '@ecsm/runtime';
import type { Authenticator, Credentials, User } from './contract.ts';

/**
 * The first user that one of them returns. Invalid credentials count only if no other ones are valid, as in Kubernetes:
 * a browser may send a certificate that is not meant for this server along with a good token.
 */
export class UnionAuthenticator implements Authenticator {
  readonly #authenticators: readonly Authenticator[];

  constructor(...authenticators: readonly Authenticator[]) {
    this.#authenticators = authenticators;
  }

  /** Only of the first one, which also decides first. */
  known(request: Credentials): User | undefined {
    return this.#authenticators[0]?.known?.(request);
  }

  async authenticate(request: Credentials): Promise<User | undefined> {
    let failure: unknown;
    for (const authenticator of this.#authenticators) {
      try {
        const user = await authenticator.authenticate(request);
        if (user) return user;
      } catch (error) {
        if (!isApiError(error, 'Unauthorized')) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }
}
