/**
 * Texts of flags, variables and config files, read as values. Each function takes the text and where it is from
 * (`--listen`, `ECSM_URL`), and throws a `UsageError` that names both.
 */
import { UsageError } from './errors.ts';

export function wholeNumberOf(text: string, from: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new UsageError(`${from} has to be a whole number from ${minimum} to ${maximum}, not "${text}"`);
}

/** Seconds, with up to three decimals. Returns milliseconds. */
export function secondsOf(text: string, from: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text) && value >= minimum && value <= maximum) return Math.round(value * 1000);
  throw new UsageError(`${from} has to be a number of seconds from ${minimum} to ${maximum}, not "${text}"`);
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3001` or `[::1]:3001`. `alternative` is what else the flag takes, for the message. */
export function addressOf(text: string, from: string, alternative = ''): Address {
  const found = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:\s]+)):(?<port>\d{1,5})$/.exec(text)?.groups;
  const port = Number(found?.['port']);
  if (found && port <= 65_535) return { host: found['six'] ?? found['host'] ?? '', port };
  const or = alternative === '' ? '' : `, or ${alternative}`;
  throw new UsageError(`${from} has to be HOST:PORT, as in 127.0.0.1:3001 or [::1]:3001${or}, not "${text}"`);
}

/** The URL of an HTTP server, without user, query and fragment. */
export function httpUrlOf(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The message does not repeat what may hold a password.
  if (text.includes('@')) throw new UsageError(`${from} must not hold a user or password: send them with --header`);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url;
  throw new UsageError(`${from} has to be a URL such as http://127.0.0.1:3001, not "${text}"`);
}

/** They frame a request and are set by the transport. */
const framing = ['connection', 'content-length', 'content-type', 'host', 'te', 'transfer-encoding', 'upgrade'];

/** `NAME: VALUE` each; names in lower case. Values are secret, and no message shows one. */
export function httpHeadersOf(texts: readonly string[], from: string): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const text of texts) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*$/.exec(text) ?? [];
    if (name === undefined) throw new UsageError(`${from} has to be 'NAME: VALUE', of printable ASCII characters`);
    const lower = name.toLowerCase();
    if (framing.includes(lower))
      throw new UsageError(`${from}: the header ${name} is set by the transport and cannot be overridden`);
    if (headers.has(lower)) throw new UsageError(`${from}: the header ${name} is set twice`);
    headers.set(lower, value);
  }
  return Object.fromEntries(headers);
}
