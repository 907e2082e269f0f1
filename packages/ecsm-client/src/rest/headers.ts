/** Validation of request headers, and the hook that adds headers. Error messages never contain a header's value. */
import { ApiError, isApiError } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { messageOf, reasonCharactersMax } from './errors.ts';
import { badRequest, type Headers } from './options.ts';

/** Set by the transport. */
const framing: readonly string[] = ['connection', 'content-length', 'host', 'te', 'transfer-encoding', 'upgrade'];

/** Returns the header with its name in lower case. Throws `BadRequest` for a header that HTTP does not allow. */
export function checkHeader(name: string, value: string): readonly [name: string, value: string] {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
    throw badRequest(`${JSON.stringify(name.slice(0, 100))} is not a valid header name`);
  if (framing.includes(lower)) throw badRequest(`the header ${lower} is set by the transport`);
  if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value))
    throw badRequest(`the header ${lower} has to be text of printable ASCII characters`);
  return [lower, value];
}

/** Returns the headers of the hook. A hook that fails is `Unavailable`, like an unreachable platform. */
export async function hookHeaders(
  hook: (() => Headers | Promise<Headers>) | undefined,
  endpoint: string,
): Promise<Headers> {
  if (hook === undefined) return {};
  let added: Headers;
  try {
    added = await hook();
  } catch (error) {
    if (isApiError(error)) throw error;
    const reason = bounded(`the headers hook failed: ${messageOf(error)}`, reasonCharactersMax);
    throw new ApiError('Unavailable', { what: endpoint, reason }, error);
  }
  return Object.fromEntries(Object.entries(added).map(([name, value]) => checkHeader(name, value)));
}
