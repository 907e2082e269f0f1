/** What the control API acts upon, and what its routes are made of. */
import type { Request } from '../api/exchange.ts';
import type { Endpoint } from '../api/router.ts';
import type { Link } from '../link/link.ts';
import type { Platform } from '../platform/contract.ts';
import type { State } from '../platform/model.ts';
import type { Journal } from './journal.ts';

export interface ControlSubject {
  /** Another one after `restore` and `reset`. */
  readonly platform: Platform;
  readonly link: Link;
  readonly journal: Journal;
  /** Puts another state in the place of the present one. */
  restore(state: State): void;
  /** Everything as it was at the start. */
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
  /** What it does, in a few words. */
  readonly does: string;
  /** A body that works; none where none is needed. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What goes into the answer beside `ok`. */
  readonly handle: (call: ControlCall) => Readonly<Record<string, unknown>>;
}
