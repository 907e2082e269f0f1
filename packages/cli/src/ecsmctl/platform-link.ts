/** The platform, as `--ecsm`, `--header` and `--tls-ca` describe it. */
import { httpTransport, type Transport } from '@ecsm/client';
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { said } from './targets.ts';

export interface PlatformLink {
  /** For people. */
  readonly url: string;
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nothing is connected before the first call; `transport.close()` ends it. Throws `UsageError` or `Failure`. */
export async function platformLink(call: Call): Promise<PlatformLink> {
  const url = urlOf(call);
  const headers = headersOf(call);
  const file = said(call, 'tls-ca');
  const ca = file === undefined ? undefined : await certificateOf(call, file);
  const transport = httpTransport({ url, clock: call.terminal.clock, ...(ca === undefined ? {} : { tls: { ca } }) });
  return { url, transport, headers };
}

function urlOf(call: Call): string {
  const text = call.flag('ecsm') ?? '';
  const from = call.origin('ecsm') ?? '--ecsm';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What may hold a password is not repeated.
  if (text.includes('@')) throw new UsageError(`${from} must not hold a user or password: send them with --header`);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return text;
  throw new UsageError(`${from} has to be a URL such as http://127.0.0.1:3001, not "${text}"`);
}

/** No complaint shows a value. */
function headersOf(call: Call): Readonly<Record<string, string>> {
  const from = call.origin('header') ?? '--header';
  return Object.fromEntries(
    call.flags('header').map((text) => {
      const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*$/.exec(text) ?? [];
      if (name === undefined) throw new UsageError(`${from} has to be 'NAME: VALUE', of printable ASCII characters`);
      return [name.toLowerCase(), value];
    }),
  );
}

async function certificateOf({ terminal }: Call, file: string): Promise<string> {
  const bytes = await terminal.files.read(file);
  if (!bytes) throw new Failure(`--tls-ca: there is no file "${file}"`);
  const text = new TextDecoder().decode(bytes);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Failure(`--tls-ca: there is no certificate in PEM in "${file}"`);
}
