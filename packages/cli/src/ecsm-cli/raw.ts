/** `raw`: one API request, without confirmation and without a check of the owner. */
import type { Method, RequestBuilder, RestClient, WireResponse } from '@ecsm/client';
import { type Call, didYouMean, Failure, UsageError, visibleLines } from '@ecsm/command-line';
import { redact, redactText, shape } from '@ecsm/runtime';
import { formatJson, formatYaml } from '../print/documents.ts';
import { printJsonPath } from '../print/jsonpath.ts';
import { callPlatform } from './change.ts';
import { formatOf } from './output.ts';
import { withPlatform } from './platform.ts';

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
const basePath = '/api/v1';

export async function run(call: Call): Promise<void> {
  const [methodWord = '', path = ''] = call.words;
  const method = methods.find((one) => one === methodWord.toUpperCase());
  if (!method) throw new UsageError(`there is no method "${methodWord}".${didYouMean(methodWord, methods)}`);
  if (!path.startsWith('/'))
    throw new UsageError(`the path has to start with a slash, such as /service, not "${path}"`);
  const format = formatOf(call, ['json', 'yaml', 'jsonpath']);
  const data = await dataOf(call);
  if (method === 'GET' && data !== undefined) throw new UsageError('GET takes no data: omit -d, or use POST or PUT');
  const response = await withPlatform(call, (platform) =>
    callPlatform(call, platform, 'respond', ({ signal }) => {
      const request = requestFor(platform.rest, method, path);
      return (data === undefined ? request : request.body(data)).signal(signal).doRaw();
    }),
  );
  const { out } = call.terminal;
  const text = new TextDecoder().decode(response.body);
  const json = jsonOf(text);
  if (json === undefined) out.write(`${visibleLines(redactText(text))}\n`);
  else if (format.kind === 'yaml') out.write(await formatYaml(redact(json)));
  else if (format.kind === 'jsonpath') out.write(`${visibleLines(printJsonPath(format.path, redact(json)))}\n`);
  else out.write(formatJson(redact(json)));
  failIfRejected(response, json);
}

/** Parses the path and builds it again, so that every segment and parameter is encoded. */
function requestFor(rest: RestClient, method: Method, path: string): RequestBuilder {
  const [before = '', query = ''] = split(path, '?');
  const below = before.startsWith(`${basePath}/`) ? before.slice(basePath.length) : before;
  let request = { GET: () => rest.get(), POST: () => rest.post(), PUT: () => rest.put(), DELETE: () => rest.delete() }[
    method
  ]();
  for (const segment of below.split('/').filter((one) => one !== '')) {
    // Only plain segments are shown in errors; others could be names of objects.
    const isPlain = /^[\w~-][\w.~-]*$/.test(segment);
    request = isPlain ? request.resource(segment) : request.name(decoded(segment), 'path');
  }
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const [name = '', value = ''] = split(pair, '=');
    request = request.param(decoded(blanksIn(name)), decoded(blanksIn(value)));
  }
  return request;
}

function split(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A plus sign is a blank in a query, and itself in a path. */
function blanksIn(text: string): string {
  return text.replaceAll('+', ' ');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`"${text}" in the path is not valid percent-encoding: write a percent sign as %25`);
  }
}

async function dataOf(call: Call): Promise<unknown> {
  const data = call.flag('data');
  if (data === undefined) return undefined;
  const text = data.startsWith('@') ? await contentOf(call, data.slice(1)) : data;
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, ".*$/s, '') : '';
    throw new UsageError(
      `${data.startsWith('@') ? `the data in ${data.slice(1)}` : 'the data of -d'} is not valid JSON: ${reason}`,
    );
  }
}

async function contentOf({ terminal }: Call, file: string): Promise<string> {
  const bytes = file === '-' ? await terminal.readInput() : await terminal.files.read(file);
  if (!bytes) throw new UsageError(`-d: there is no file "${file}"`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`-d: ${file === '-' ? 'standard input' : file} is not UTF-8: save it as UTF-8`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws `Failure` for an error response, which has been printed. */
function failIfRejected({ status }: WireResponse, json: unknown): void {
  const code = shape.isObject(json) ? json['status'] : undefined;
  const message = shape.isObject(json) ? json['message'] : undefined;
  if (status < 400 && (code === undefined || code === 200)) return;
  const detail = typeof message === 'string' ? `: ${message}` : '';
  throw new Failure(`the platform responded with ${code === undefined ? `HTTP ${status}` : `code ${code}`}${detail}`);
}
