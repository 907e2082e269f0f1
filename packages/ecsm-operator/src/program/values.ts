/** Texts that people wrote, read as values. Each throws `Wrong`, naming where the text stood and what it has to be. */
import type { Said } from './command-line.ts';
import { Wrong } from './wrong.ts';

function first({ texts: [text = ''] }: Said): string {
  return text;
}

export function wholeNumberOf(minimum: number, maximum: number): (said: Said) => number {
  return (said) => {
    const text = first(said);
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new Wrong(`${said.from} has to be a whole number from ${minimum} to ${maximum}, not "${text}"`);
  };
}

/** Seconds as people write them, milliseconds as programs count. */
export function secondsOf(minimum: number, maximum: number): (said: Said) => number {
  return (said) => {
    const text = first(said);
    const value = Number(text);
    if (/^\d{1,9}(\.\d{1,3})?$/.test(text) && value >= minimum && value <= maximum) return Math.round(value * 1000);
    throw new Wrong(`${said.from} has to be a number of seconds from ${minimum} to ${maximum}, not "${text}"`);
  };
}

export function wordOf<const Word extends string>(words: readonly Word[]): (said: Said) => Word {
  return (said) => {
    const text = first(said);
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    const last = words.at(-1);
    throw new Wrong(`${said.from} has to be ${words.slice(0, -1).join(', ')} or ${last}, not "${text}"`);
  };
}

/** Other machines could read what is inside the process, and there is no password. */
const isLoopback = (host: string) => /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host);

/** Nothing for `off`. */
export function listenOf(said: Said): { readonly host: string; readonly port: number } | undefined {
  const text = first(said);
  if (text === 'off') return undefined;
  const found = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:\s]+)):(?<port>\d{1,5})$/.exec(text)?.groups;
  const port = Number(found?.['port']);
  if (found === undefined || port > 65_535) {
    throw new Wrong(`${said.from} has to be HOST:PORT, as in 127.0.0.1:8090 or [::1]:8090, or off, not "${text}"`);
  }
  const host = found['six'] ?? found['host'] ?? '';
  if (!isLoopback(host)) {
    throw new Wrong(
      `${said.from}: it will not listen on ${host}, where other machines could reach it without a password: use 127.0.0.1, and a proxy that asks for one`,
    );
  }
  return { host, port };
}

export function platformUrlOf(said: Said): string {
  const text = first(said);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What may hold a password is not repeated.
  if (text.includes('@')) throw new Wrong(`${said.from} must not hold a user or password: send them with --header`);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return text;
  throw new Wrong(`${said.from} has to be a URL such as http://127.0.0.1:3001, not "${text}"`);
}

/** They frame a request, and are the link's own. */
const framing = ['connection', 'content-length', 'content-type', 'host', 'te', 'transfer-encoding', 'upgrade'];

/** No complaint shows a value. */
export function headersOf({ texts, from }: Said): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*$/.exec(text) ?? [];
    if (name === undefined) throw new Wrong(`${from} has to be 'NAME: VALUE', of printable ASCII characters`);
    const lower = name.toLowerCase();
    if (framing.includes(lower)) throw new Wrong(`${from}: the header ${name} is not yours to set`);
    if (Object.hasOwn(headers, lower)) throw new Wrong(`${from}: the header ${name} is there twice`);
    headers[lower] = value;
  }
  return headers;
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const servicePattern = new RegExp(`^(?:(?<namespace>${label})/)?(?<name>${label})$`);

/** `telemetry` or `orbit/telemetry`. */
export function serviceNameOf(text: string): { readonly namespace: string; readonly name: string } {
  const found = servicePattern.exec(text)?.groups;
  if (!found) throw new Wrong(`"${text}" is not the name of a service: it has to be NAME or NAMESPACE/NAME`);
  return { namespace: found['namespace'] ?? 'default', name: found['name'] ?? '' };
}
