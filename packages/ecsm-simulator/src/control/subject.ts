/** The types of the control API: the simulator that it controls, and its routes. */
import type { Request } from '../api/exchange.ts';
import type { Endpoint } from '../api/router.ts';
import type { Link } from '../link/link.ts';
import type { Platform } from '../platform/contract.ts';
import type { State } from '../platform/model.ts';
import type { Journal } from './journal.ts';

export interface ControlSubject {
  /** Replaced by `restore` and `reset`. */
  readonly platform: Platform;
  readonly link: Link;
  readonly journal: Journal;
  /** Replaces the state. */
  restore(state: State): void;
  /** Restores the initial state. */
  reset(): void;
}

export interface ControlCall {
  readonly subject: ControlSubject;
  readonly platform: Platform;
  readonly request: Request;
  /** `:node` of the route's path, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
}

export interface ControlRoute extends Endpoint {
  /** A short description. */
  readonly does: string;
  /** An example body; absent if none is needed. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Returns the fields of the response in addition to `ok`. */
  readonly handle: (call: ControlCall) => Readonly<Record<string, unknown>>;
}
