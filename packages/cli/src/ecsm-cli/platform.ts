/** The connection of a command to the platform, closed when the command ends. */
import { Ecsm, httpTransport, RestClient, type Transport } from '@ecsm/client';
import { type Call, httpHeadersOf, readSettings, type Settings, UsageError } from '@ecsm/command-line';
import { readManifests } from '@ecsm/runtime';
import { platformUrlOf } from './address.ts';
import { platformFlags } from './flags.ts';
import { explainError, type LinkState, trackedTransport } from './link.ts';
import { durationMsOf, zoneMinutesOf } from './values.ts';

export interface Platform {
  readonly url: string;
  readonly ecsm: Ecsm;
  readonly rest: RestClient;
  /** Time limit of one call with its retries. */
  readonly callMs: number;
  /** Time limit of `--wait`, and of a list with all its pages. */
  readonly waitMs: number;
  /** The value of `--timeout`, if set. */
  readonly timeoutMs: number | undefined;
  readonly link: Readonly<LinkState>;
}

const callMsDefault = 30_000;
const waitMsDefault = 300_000;
/** Limits of one attempt: a slow link needs the minimum, and a lost request is abandoned after the maximum. */
const attemptMsMin = 10_000;
const attemptMsMax = 30_000;
const attemptsMax = 3;

export function settingsOf(call: Call): Promise<Settings> {
  const config = { fileFlag: 'config', fileNames: ['.ecsm-cli.yaml'], readDocuments: readManifests };
  return readSettings(call, platformFlags, config);
}

/** Throws `UsageError` for invalid settings. Errors of the link become one sentence with a remedy. */
export async function withPlatform<T>(call: Call, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { terminal } = call;
  const settings = await settingsOf(call);
  const url = platformUrlOf(settings);
  const timeoutMs = optional(settings, 'timeout', durationMsOf);
  const zoneOffsetMinutes = optional(settings, 'zone', zoneMinutesOf) ?? 0;
  const headers = httpHeadersOf(settings.all('header'), settings.origin('header') ?? '--header');
  const link: LinkState = { url, contactMs: undefined, isWriting: false };
  const transport = trackedTransport(await transportOf(call, settings, url), terminal, link);
  const callMs = timeoutMs ?? callMsDefault;
  const rest = new RestClient({
    transport,
    clock: terminal.clock,
    headers: () => headers,
    deadlineMs: callMs,
    timeoutMs: Math.min(callMs, attemptMsMax, Math.max(attemptMsMin, callMs / attemptsMax)),
    attemptsMax,
  });
  const waitMs = timeoutMs ?? waitMsDefault;
  const ecsm = new Ecsm(rest, { zoneOffsetMinutes, listDeadlineMs: waitMs });
  try {
    return await work({ url, ecsm, rest, callMs, waitMs, timeoutMs, link });
  } catch (error) {
    throw explainError(error, link);
  } finally {
    transport.close();
  }
}

async function transportOf({ terminal }: Call, settings: Settings, url: string): Promise<Transport> {
  const file = settings.get('tls-ca');
  if (file === undefined) return httpTransport({ url, clock: terminal.clock });
  const from = settings.origin('tls-ca');
  if (!url.startsWith('https:'))
    throw new UsageError(`${from} requires https, but ${url} does not use it: add --protocol https`);
  const bytes = await terminal.files.read(file);
  if (!bytes) throw new UsageError(`${from}: there is no file "${file}"`);
  const ca = new TextDecoder().decode(bytes);
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`${from}: ${file} contains no PEM certificate`);
  return httpTransport({ url, clock: terminal.clock, tls: { ca } });
}

function optional<T>(settings: Settings, name: string, read: (text: string, from: string) => T): T | undefined {
  const text = settings.get(name);
  return text === undefined ? undefined : read(text, settings.origin(name) ?? `--${name}`);
}
