/** Where a platform is: a URL, taken apart and checked. */
import { badRequest } from './options.ts';

export interface Address {
  readonly isSecure: boolean;
  /** An IPv6 address without its brackets. */
  readonly host: string;
  /** Undefined: the scheme's own. */
  readonly port: number | undefined;
  /** Before every target: empty, or `/ecsm` for a platform behind a proxy. */
  readonly prefix: string;
  /** `http://host:3001`, for people. */
  readonly name: string;
}

/** Throws `BadRequest` for what is not a plain http or https URL. */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.username !== '' || url.password !== ''))
    throw badRequest(
      `the URL of ${url.protocol}//${url.host} holds a user or password: send them in a header instead, by the client's option "headers"`,
    );
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    // The text is not repeated where it may hold a password.
    const shown = text.includes('@') ? 'with an @ in it' : JSON.stringify(text.slice(0, 100));
    throw badRequest(`the URL ${shown} is not of the form http://host:3001`);
  }
  return {
    isSecure: url.protocol === 'https:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    prefix: url.pathname.replace(/\/+$/, ''),
    name: `${url.protocol}//${url.host}`,
  };
}
