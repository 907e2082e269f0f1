/** The path and the query of a request. */
import type { IncomingMessage } from 'node:http';

/** Shared by all requests without a query, so it is never changed. */
const noParameters = new URLSearchParams();

/**
 * The path as the client has sent it. The URL class would remove `..`, and take the first segment of `//a/b` for a host:
 * then a path would mean one thing to a proxy that checks it and another one here.
 */
export function urlOf({ url = '/' }: IncomingMessage): {
  readonly path: string;
  readonly searchParams: URLSearchParams;
} {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const question = target.indexOf('?');
  if (question === -1) return { path: target || '/', searchParams: noParameters };
  return { path: target.slice(0, question) || '/', searchParams: new URLSearchParams(target.slice(question)) };
}
