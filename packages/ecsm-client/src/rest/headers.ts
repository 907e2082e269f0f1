/** The headers of a request: their rules, and the hook that adds to them. No message of these shows a value. */
import { ApiError, isApiError } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { reasonCharactersMax, wordsOf } from './errors.ts';
import { badRequest, type Headers } from './options.ts';

/** They frame the request on the wire, and are the transport's. */
const framing: readonly string[] = ['connection', 'content-length', 'host', 'te', 'transfer-encoding', 'upgrade'];

/** Throws `BadRequest` for a header that HTTP does not allow. The name comes back in lower case. */
export function checkHeader(name: string, value: string): readonly [name: string, value: string] {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw badRequest(`${JSON.stringify(name.slice(0, 100))} names no header`);
  if (framing.includes(lower)) throw badRequest(`the header ${lower} is not the caller's to set`);
  if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value))
    throw badRequest(`the header ${lower} has to be text of printable ASCII characters`);
  return [lower, value];
}

/** What the hook adds. A hook that fails is no different from a platform that cannot be reached. */
export async function askHeaders(
  hook: (() => Headers | Promise<Headers>) | undefined,
  endpoint: string,
): Promise<Headers> {
  if (hook === undefined) return {};
  let added: Headers;
  try {
    added = await hook();
  } catch (error) {
    if (isApiError(error)) throw error;
    const reason = bounded(`the hook for headers failed: ${wordsOf(error)}`, reasonCharactersMax);
    throw new ApiError('Unavailable', { what: endpoint, reason }, error);
  }
  return Object.fromEntries(Object.entries(added).map(([name, value]) => checkHeader(name, value)));
}
