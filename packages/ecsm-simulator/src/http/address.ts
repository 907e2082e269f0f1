/** Where a simulator may listen, and what to say when it cannot. */
import { ApiError } from '@ecsm/runtime';

export interface ListenAddress {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port; the server tells which. */
  readonly port?: number;
  /** Default false: only this machine may call. Nobody is asked for a password, so open it only to a network that you trust. */
  readonly allowRemote?: boolean;
}

/** Throws `BadRequest` for a port that is none, `Forbidden` for an address that others can reach. */
export function checkAddress(host: string, port: number, allowRemote: boolean): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ApiError('BadRequest', { reason: `the port of the simulator has to be 0 to 65535, not ${port}` });
  }
  if (allowRemote || /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) return;
  throw new ApiError('Forbidden', {
    reason: `the simulator will not listen on ${host}, where other machines can reach it: anybody may do anything to it. Use 127.0.0.1, or allow it with allowRemote`,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; choose another port, or 0 for any free one',
  EACCES: 'this user may not listen there; choose a port of 1024 or more',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
};

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ApiError {
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new ApiError('Unavailable', { what: `the address ${hostAndPort(host, port)}`, reason }, error);
}

export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
