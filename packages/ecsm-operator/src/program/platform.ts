/** The transports to the platform and to Prometheus, from the options. */
import { readFileSync } from 'node:fs';
import { httpTransport, type Transport } from '@ecsm/client';
import { UsageError } from '@ecsm/command-line';
import type { Clock } from '@ecsm/runtime';
import type { ProgramOptions } from './options.ts';

type LinkOptions = Pick<ProgramOptions, 'ecsm' | 'headers' | 'tlsCa' | 'inFlightMax'>;

/** Throws `UsageError` for a certificate that cannot be read. Connects with the first call. */
export function transportOf({ ecsm, headers, tlsCa, inFlightMax }: LinkOptions, clock: Clock): Transport {
  const transport = httpTransport({
    url: ecsm,
    clock,
    connectionsMax: inFlightMax,
    ...(tlsCa === undefined ? {} : { tls: { ca: certificateOf(tlsCa) } }),
  });
  return withHeaders(transport, headers);
}

/** Queries are few: each autoscaler sends its own at each sync. */
const prometheusConnectionsMax = 4;

/** Of the allowed servers, by URL. They connect with the first query. */
export function prometheusTransports(
  { prometheusServers }: Pick<ProgramOptions, 'prometheusServers'>,
  clock: Clock,
): ReadonlyMap<string, Transport> {
  return new Map(
    prometheusServers.map((url) => [url, httpTransport({ url, clock, connectionsMax: prometheusConnectionsMax })]),
  );
}

/** The same transport, with these headers on every request. They are added last, after all logging. */
function withHeaders(transport: Transport, headers: ProgramOptions['headers']): Transport {
  return {
    send: (request, options) => transport.send({ ...request, headers: { ...request.headers, ...headers } }, options),
    close: () => transport.close(),
  };
}

function certificateOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it contains no PEM certificate');
    return text;
  } catch (error) {
    throw new UsageError(`--tls-ca ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
