/**
 * One attempt of a probe of a container: an HTTP request, or a TCP connection, to the address of its pod. As kubelet does,
 * any HTTP status from 200 to 399 is a success, and the certificate of an HTTPS server is not verified.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';

export type ProbeTarget =
  | {
      readonly is: 'http';
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly isTls: boolean;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly is: 'tcp'; readonly host: string; readonly port: number };

/** Resolves with undefined after a success, otherwise with the reason of the failure. It never rejects. */
export function attemptProbe(target: ProbeTarget, timeoutMs: number): Promise<string | undefined> {
  return target.is === 'tcp' ? attemptTcp(target, timeoutMs) : attemptHttp(target, timeoutMs);
}

function attemptTcp({ host, port }: ProbeTarget & { is: 'tcp' }, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (failure?: string) => {
      socket.destroy();
      resolve(failure);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('timed out'));
    socket.once('error', (error) => end(error.message));
  });
}

function attemptHttp(target: ProbeTarget & { is: 'http' }, timeoutMs: number): Promise<string | undefined> {
  const { host, port, path, headers, isTls } = target;
  return new Promise((resolve) => {
    const options = { host, port, path, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
    const request = isTls ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    request.once('response', (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      request.destroy();
      resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP status ${statusCode}`);
    });
    request.on('error', (error) => resolve(error.name === 'AbortError' ? 'timed out' : error.message));
    request.end();
  });
}
