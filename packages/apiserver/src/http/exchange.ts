/**
 * A request with its response. The headers of the response are collected and written at once: Node.js takes several times as
 * long for headers that are set one by one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the response: names and values in turn. Those that are added after the first byte are ignored. */
  readonly headers: string[];
}
