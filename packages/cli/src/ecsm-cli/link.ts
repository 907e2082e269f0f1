/** User-visible state of the link: each request with `-v`, and errors as one sentence with a remedy. */
import { platformResponse, type Transport, type WireRequest, type WireResponse } from '@ecsm/client';
import { duration, Failure, type Terminal, truncate, visible } from '@ecsm/command-line';
import { connectionErrorCode, isApiError, redact, redactText } from '@ecsm/runtime';
import { formatBytes } from '../print/amount.ts';
import { platformSecrets } from './text.ts';

export interface LinkState {
  readonly url: string;
  /** Monotonic time of the last response. */
  contactMs: number | undefined;
  /** Whether the last request could have changed something. */
  isWriting: boolean;
}

const shownBodyColumns = 500;

/** A transport that records the time of the last response and, with `-v`, prints each request. */
export function trackedTransport(transport: Transport, terminal: Terminal, link: LinkState): Transport {
  const { clock, detail, isVerbose } = terminal;
  return {
    async send(request, options) {
      const startMs = clock.monotonicMs();
      const { meter } = options;
      const logEnd = (end: string) => {
        if (!isVerbose) return;
        const bytes = `${formatBytes(meter.bytesUp)} up, ${formatBytes(meter.bytesDown)} down`;
        detail(`${shownRequest(link.url, request)}: ${end}, ${Math.round(clock.monotonicMs() - startMs)} ms, ${bytes}`);
      };
      link.isWriting = request.method !== 'GET';
      try {
        const response: WireResponse = await transport.send(request, options);
        link.contactMs = clock.monotonicMs();
        logEnd(String(response.status));
        return response;
      } catch (error) {
        logEnd(isApiError(error) ? error.code : 'cancelled');
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

function shownRequest(url: string, { method, target, headers, body }: WireRequest): string {
  const line = visible(redactText(`${method} ${url}${target}`));
  if (!body) return line;
  if (headers['content-type'] !== 'application/json') return `${line} (${formatBytes(body.byteLength)} of body)`;
  const json: unknown = JSON.parse(new TextDecoder().decode(body));
  return `${line} ${truncate(visible(JSON.stringify(redact(json, platformSecrets))), shownBodyColumns)}`;
}

const where = 'set its address with --url, ECSMCLI_HOST and ECSMCLI_PORT, or .ecsm-cli.yaml';

/** Converts an error of the link to a `Failure` with URL and remedy. Returns any other error unchanged. */
export function explainError(error: unknown, { url, isWriting }: LinkState): unknown {
  const failure = (text: string) => new Failure(text, { cause: error });
  const maybeChanged = isWriting ? '. The change may have been made: check before you repeat it' : '';
  if (isApiError(error, 'Unavailable')) {
    const { what, reason } = error.details;
    const isConnection = what.startsWith('http');
    if (isConnection && isWriting && isLost(error.cause)) {
      return failure(`the connection to ${url} was lost: ${reason}${maybeChanged}`);
    }
    return failure(
      isConnection
        ? `${url} cannot be reached: ${reason}. Is the platform running there? If not, ${where}`
        : `${url} is unavailable: ${what}: ${reason}${maybeChanged || '. Try again later'}`,
    );
  }
  if (isApiError(error, 'Timeout')) {
    const { what, timeoutMs } = error.details;
    const remedy = maybeChanged || '. If the link is slow, increase --timeout';
    return failure(`${url} did not respond to ${what} within ${shortTime(timeoutMs)}${remedy}`);
  }
  if (isApiError(error, 'BadAnswer')) {
    const { what, reason } = error.details;
    return failure(
      `${url} sent an unexpected response to ${what}: ${reason}${maybeChanged || `. If this is not an ECSM platform, ${where}`}`,
    );
  }
  if (isApiError(error, 'NotFound') && error.details.kind === 'path') {
    return failure(`${url} has no endpoint ${error.details.name}. If this is not an ECSM platform, ${where}`);
  }
  if (isApiError(error, 'Forbidden'))
    return failure(`${error.message}. If it requires credentials, send them with --header`);
  if (isApiError(error, 'BadRequest') && platformResponse(error) === undefined) return failure(error.message);
  return error;
}

/** Whether a connection failed after it was made: the platform may have received the request. */
function isLost(cause: unknown): boolean {
  return cause instanceof Error && lostCodes.includes(connectionErrorCode(cause));
}

const lostCodes = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

function shortTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms);
}

/** Whether a retry could succeed: no response, or an unexpected one. */
export function isLinkError(error: unknown): boolean {
  return isApiError(error, 'Unavailable') || isApiError(error, 'Timeout') || isApiError(error, 'BadAnswer');
}
