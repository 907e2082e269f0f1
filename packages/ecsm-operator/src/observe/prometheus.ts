/**
 * Queries of Prometheus: `GET /api/v1/query` of servers that the operator was started with. A query has to have exactly one
 * value as its result.
 */
import type { Transport } from '@ecsm/client';
import { ApiError, type Clock, isApiError } from '@ecsm/runtime';

interface PrometheusOptions {
  /** The allowed servers: URL → transport. */
  readonly servers: ReadonlyMap<string, Transport>;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** A single value is short. A larger response has many series, which cannot be compared with a target. */
export const responseBytesMax = 65_536;

export class Prometheus {
  readonly #options: PrometheusOptions;
  readonly #servers: ReadonlyMap<string, Transport>;

  constructor(options: PrometheusOptions) {
    this.#options = options;
    this.#servers = new Map([...options.servers].map(([url, transport]) => [normalized(url), transport]));
  }

  /** Throws `Forbidden` for a server that is not allowed, and other errors of the catalogue. */
  async query(server: string, query: string, signal: AbortSignal): Promise<number> {
    const transport = this.#servers.get(normalized(server));
    if (transport === undefined) {
      const reason = `the operator does not allow the server ${server}: start it with --prometheus-server ${server}`;
      throw new ApiError('Forbidden', { reason });
    }
    const { status, body } = await this.#send(transport, query, signal);
    return valueIn(status, new TextDecoder().decode(body));
  }

  async #send(transport: Transport, query: string, signal: AbortSignal) {
    const { clock, timeoutMs } = this.#options;
    const timeout = new AbortController();
    const abort = () => timeout.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const cancel = clock.after(timeoutMs, () =>
      timeout.abort(new ApiError('Timeout', { what: 'the query', timeoutMs })),
    );
    try {
      return await transport.send(
        {
          method: 'GET',
          target: `/api/v1/query?query=${encodeURIComponent(query)}`,
          headers: { accept: 'application/json' },
        },
        { signal: timeout.signal, responseBytesMax, meter: { bytesUp: 0, bytesDown: 0 } },
      );
    } catch (error) {
      throw isApiError(error)
        ? error
        : new ApiError('Unavailable', { what: 'the query', reason: 'it was aborted' }, error);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
    }
  }
}

/** `http://host:9090/` and `http://host:9090` are the same server. */
function normalized(url: string): string {
  return url.replace(/\/+$/u, '');
}

const bad = (reason: string) => new ApiError('BadAnswer', { what: 'the query', reason });

/** The value of a scalar, or of a vector with one element. Throws `BadAnswer`. */
export function valueIn(status: number, text: string): number {
  const answer = parsed(text);
  if (status !== 200 || field(answer, 'status') !== 'success') {
    const why = field(answer, 'error');
    throw bad(`the server answered ${status}${typeof why === 'string' ? `: ${why.slice(0, 200)}` : ''}`);
  }
  const data = field(answer, 'data');
  const type = field(data, 'resultType');
  const result = field(data, 'result');
  if (type === 'scalar') return numberIn(result);
  if (type !== 'vector' || !Array.isArray(result)) throw bad(`the result is a ${String(type)}, not one value`);
  if (result.length !== 1) {
    const hint = result.length === 0 ? 'is empty' : `has ${result.length} values: aggregate them, as in sum(...)`;
    throw bad(`the result ${hint}`);
  }
  return numberIn(field(result[0], 'value'));
}

/** `[time, "value"]` */
function numberIn(pair: unknown): number {
  const text: unknown = Array.isArray(pair) ? pair[1] : undefined;
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (Number.isFinite(value) && value >= 0) return value;
  throw bad(`the value ${JSON.stringify(text)} is not a number of at least 0`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
