/** The connection to the platform of `--ecsm`, `--header` and `--tls-ca`. */
import { httpTransport, type Transport } from '@ecsm/client';
import { type Call, Failure, httpHeadersOf, httpUrlOf } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { flagIfSet } from './targets.ts';

export interface PlatformLink {
  /** For messages. */
  readonly url: string;
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
}

/** Connects at the first request; close it with `transport.close()`. Throws `UsageError` or `Failure`. */
export async function platformLink(call: Call): Promise<PlatformLink> {
  const url = call.flag('ecsm') ?? '';
  httpUrlOf(url, call.origin('ecsm') ?? '--ecsm');
  const headers = httpHeadersOf(call.flags('header'), call.origin('header') ?? '--header');
  const file = flagIfSet(call, 'tls-ca');
  const ca = file === undefined ? undefined : await certificateOf(call, file);
  const transport = httpTransport({ url, clock: call.terminal.clock, ...(ca === undefined ? {} : { tls: { ca } }) });
  return { url, transport, headers };
}

/** The error with its remedy, if the platform does not respond or is another server. `reason`: the first cause, if known. */
export function linkFailure(error: unknown, { url }: PlatformLink, reason?: string): unknown {
  const isOtherServer = isApiError(error, 'NotFound') && error.details.kind === 'path';
  const isLink = isApiError(error, 'Unavailable') || isApiError(error, 'Timeout') || isApiError(error, 'BadAnswer');
  if (!isOtherServer && !isLink) return error;
  const what = isOtherServer ? `${url} has no endpoint ${error.details.name}` : (reason ?? error.message);
  return new Failure(`${what}: check the platform, and its URL in --ecsm or ECSM_URL`, { cause: error });
}

async function certificateOf({ terminal }: Call, file: string): Promise<string> {
  const bytes = await terminal.files.read(file);
  if (!bytes) throw new Failure(`--tls-ca: there is no file "${file}"`);
  const text = new TextDecoder().decode(bytes);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Failure(`--tls-ca: "${file}" does not contain a PEM certificate`);
}
