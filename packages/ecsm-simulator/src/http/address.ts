/** The listen address of a simulator, and the errors of listening. */
import { ApiError } from '@ecsm/runtime';

export interface ListenAddress {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port; see `RunningServer.port`. */
  readonly port?: number;
  /** Default false: only loopback addresses. There is no authentication, so enable it only in a trusted network. */
  readonly allowRemote?: boolean;
}

/** Throws `BadRequest` for an invalid port, `Forbidden` for an address that other machines can reach. */
export function checkAddress(host: string, port: number, allowRemote: boolean): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ApiError('BadRequest', { reason: `the port of the simulator has to be 0 to 65535, not ${port}` });
  }
  if (allowRemote || /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) return;
  throw new ApiError('Forbidden', {
    reason: `the simulator does not listen on ${host}: other machines can reach it, and there is no authentication. Use 127.0.0.1, or allow it with allowRemote, --allow-remote of ecsm-sim`,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another port, or 0 for any free one',
  EACCES: 'permission denied; choose a port of 1024 or more',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is unknown',
};

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ApiError {
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new ApiError('Unavailable', { what: `the address ${hostAndPort(host, port)}`, reason }, error);
}

export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
