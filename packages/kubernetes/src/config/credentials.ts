/** Credentials of a user: headers and a client certificate, read again when they may have changed. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '@ecsm/runtime';
import { ApiError } from '@ecsm/runtime';
import { unreadable } from './load.ts';

/** Sent with a request. Never shown in a message or a log. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** In PEM. The same object as long as it does not change. */
  readonly certificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface Credentials {
  /** The current credential. Throws if it cannot be obtained. */
  current(): Promise<Credential>;
  /**
   * Called after the server has rejected the credential. Returns whether `current` may return another one, so that the
   * request can be repeated once.
   */
  discard(): boolean;
}

/** Credentials that do not change. */
export function fixedCredentials(credential: Credential): Credentials {
  return { current: async () => credential, discard: () => false };
}

/** Characters of a token or a header that Node.js accepts; others would fail with a message that contains the token. */
const headerValue = /^[\t\x20-\x7e]+$/;

/** Throws `BadRequest` for a token that cannot be a header. The message does not contain it. */
export function bearer(token: string, source: string): { readonly authorization: string } {
  const trimmed = token.trim();
  if (!headerValue.test(trimmed)) {
    throw new ApiError('BadRequest', { reason: `the token of ${source} is empty or has invalid characters` });
  }
  return { authorization: `Bearer ${trimmed}` };
}

/** How long a token file is used before it is read again. Kubernetes rotates tokens long before they expire. */
const rereadMs = 10_000;

interface TokenFile {
  readonly path: string;
  readonly clock: Clock;
  /** Used as long as the file cannot be read. */
  readonly fallback?: string;
  /** Sent with every request beside the token. */
  readonly credential: Credential;
}

/** A token in a file that another program replaces. If the file cannot be read, the last token is used. */
export function tokenFileCredentials({ path, clock, fallback, credential }: TokenFile): Credentials {
  let known: { readonly value: Credential; readonly atMs: number } | undefined;
  const withToken = (token: string, source: string): Credential => ({
    ...credential,
    headers: { ...credential.headers, ...bearer(token, source) },
  });
  return {
    async current() {
      const nowMs = clock.monotonicMs();
      if (known && nowMs - known.atMs < rereadMs) return known.value;
      try {
        known = { value: withToken(await readFile(path, 'utf8'), path), atMs: nowMs };
      } catch (error) {
        if (known) return known.value;
        if (fallback !== undefined) return withToken(fallback, 'the user');
        throw error instanceof ApiError ? error : unreadable('the token file', path, error);
      }
      return known.value;
    },
    discard() {
      if (known === undefined) return false;
      known = { ...known, atMs: Number.NEGATIVE_INFINITY };
      return true;
    },
  };
}
