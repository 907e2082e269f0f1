/** The URL of a platform, parsed and validated. */
import { badRequest } from './options.ts';

export interface Address {
  readonly isSecure: boolean;
  /** An IPv6 address without its brackets. */
  readonly host: string;
  /** Undefined: the default port of the scheme. */
  readonly port: number | undefined;
  /** Prefix of every target: empty, or `/ecsm` for a platform behind a proxy. */
  readonly prefix: string;
  /** `http://host:3001`, for messages. */
  readonly name: string;
}

/** Throws `BadRequest` if the text is not a plain http or https URL. */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.username !== '' || url.password !== ''))
    throw badRequest(
      `the URL of ${url.protocol}//${url.host} contains a user or password: send them in a header instead, by the client's option "headers"`,
    );
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    // Not shown if it may contain a password.
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
