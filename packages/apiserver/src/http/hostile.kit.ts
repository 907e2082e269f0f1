/** Malformed requests, from a seed: every part of a request is wrong in its turn, most of them in valid HTTP. */
import type { SeededRandom } from '@ecsm/runtime/simulation';

export interface HostileRequest {
  readonly bytes: string;
  /** False: the server waits for more, which never comes. */
  readonly isComplete: boolean;
  /** Whether the connection is in an unknown state afterwards. */
  readonly isLast: boolean;
}

const gadgets = '/apis/example.io/v1/namespaces/default/gadgets';
const maps = '/api/v1/namespaces/default/configmaps';

const paths = [
  '/%',
  '/%zz',
  '/%ff%fe',
  '/api/v1/%2e%2e/secrets',
  '/api/v1/../../etc/passwd',
  '//evil/api/v1/secrets',
  '/api//v1',
  '/api/v1/namespaces/default%2fsecrets/s',
  '/api/v1/namespaces/%00/configmaps',
  '/api/v1/namespaces/a b/configmaps',
  `${gadgets}/__proto__`,
  `${gadgets}/constructor/status`,
  `${gadgets}/a/b/c/d/e`,
  `${gadgets}/%E2%80%AE`,
  `${gadgets}/..%5c..%5cx`,
  `${gadgets}/a/scale/scale`,
  `${gadgets}/${'x'.repeat(9_000)}`,
  `/${'a/'.repeat(4_000)}`,
  `${gadgets}/${'%41'.repeat(300)}`,
  '/apis/__proto__/v1/gadgets',
  '/apis/example.io/constructor/gadgets',
  '/openapi/v3/apis/__proto__/v1',
  '/openapi/v3/..%2f..',
  '/healthz/../api/v1/secrets',
  'https://other.example/api/v1/namespaces',
  '*',
  `${gadgets}#fragment`,
  `${gadgets}\\a`,
];

const queries = [
  'labelSelector=%3D%3D%3D',
  'labelSelector=a+in+(',
  'labelSelector=!!!a',
  `labelSelector=${'a,'.repeat(2_000)}`,
  `labelSelector=${'a'.repeat(300)}%3Db`,
  'labelSelector=%00',
  'labelSelector=__proto__%3Dx',
  'fieldSelector=metadata.name',
  'fieldSelector=spec.__proto__.x%3D1',
  'fieldSelector=a%5Cb%3D1',
  `fieldSelector=${'a.'.repeat(2_000)}b%3D1`,
  'fieldSelector=metadata.name%3D%2500',
  'limit=-1',
  'limit=1e9',
  'limit=99999999999999999999',
  'limit=1&continue=x',
  'continue=%00%00',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ',
  `continue=${'A'.repeat(8_000)}`,
  'resourceVersion=-1',
  'resourceVersion=x',
  'resourceVersion=99999999999999999999999',
  'resourceVersionMatch=Exact',
  'resourceVersion=1&resourceVersionMatch=Nonsense',
  'resourceVersion=0&resourceVersionMatch=Exact',
  'watch=1&resourceVersion=x',
  'watch=1&resourceVersion=99999999999999999999',
  'watch=1&continue=x',
  'watch=1&timeoutSeconds=x',
  'watch=1&sendInitialEvents=true',
  'watch=1&resourceVersion=18446744073709551615&timeoutSeconds=1',
  'timeoutSeconds=99999999999999999999',
  'dryRun=Some',
  'fieldManager=%00',
  `fieldManager=${'m'.repeat(200)}`,
  'fieldValidation=Never',
  'force=x',
  'propagationPolicy=Nothing',
  'gracePeriodSeconds=x',
  '%=%&=&&&?',
  'includeObject=__proto__',
];

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const named = (rest: string) => `{"metadata":{"name":"a"}${rest === '' ? '' : `,${rest}`}}`;

const bodies = [
  '',
  '{',
  '{"metadata":{"name":"a"',
  'null',
  '[]',
  '0',
  '"x"',
  '{}',
  '\u0000',
  '{"metadata":null}',
  '{"metadata":[]}',
  '{"metadata":{"name":1}}',
  '{"metadata":{"name":"../x"}}',
  '{"metadata":{"name":"A B"}}',
  `{"metadata":{"name":"${'n'.repeat(300)}"}}`,
  '{"metadata":{"generateName":{}}}',
  named('"metadata":{"name":"b"}'),
  named('"spec":null'),
  named('"spec":{"replicas":1e400}'),
  named('"spec":{"replicas":9007199254740993}'),
  named('"spec":{"replicas":-0}'),
  named('"spec":{"ports":[{"name":"x"},{"name":"x"}]}'),
  named('"spec":{"options":{"__proto__":"x","constructor":"y"}}'),
  named('"__proto__":{"polluted":"yes"}'),
  named('"constructor":{"prototype":{"polluted":"yes"}}'),
  '{"__proto__":{"polluted":"yes"},"metadata":{"name":"a","__proto__":{"polluted":"yes"}}}',
  '{"metadata":{"name":"a","labels":{"a b":"c"},"annotations":{"":1}}}',
  '{"metadata":{"name":"a","finalizers":"x","ownerReferences":[null]}}',
  '{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:__proto__":{}}}]}}',
  '{"metadata":{"name":"a","resourceVersion":"x","uid":7,"deletionTimestamp":"never"}}',
  named(`"spec":${deep('{"a":', '}', 40).replace('}', '1}')}`),
  named(`"spec":${deep('[', ']', 20_000)}`),
  deep('[', ']', 100_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}',
  '{"kind":7,"apiVersion":[]}',
  'apiVersion: example.io/v1\nkind: Gadget\nmetadata: {name: a}\n---\nx: 1',
  'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]',
  '!!js/function "x"',
  '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]',
  '[{"op":"add","path":"/constructor/prototype/polluted","value":"yes"}]',
  '[{"op":"copy","from":"","path":"/spec/options"}]',
  '[{"op":"move","from":"/spec","path":"/spec/x"}]',
  '[{"op":"remove","path":""}]',
  '[{"op":"replace","path":"/metadata","value":null}]',
  '[{"op":"replace","path":"/metadata/name","value":"b"}]',
  '[{"op":"test","path":"/~2","value":1}]',
  '[{"op":"add","path":"/spec/ports/9999999999","value":{}}]',
  '[{"op":"explode","path":"/"}]',
  `[${'{"op":"test","path":"","value":1},'.repeat(10_001)}{}]`,
  '{"$patch":"delete"}',
  '{"data":{"$patch":"replace"},"$setElementOrder/x":[1]}',
  '{"data":[1,2]}',
  '{"spec":{"$retainKeys":["a"]}}',
  '{"kind":"DeleteOptions","preconditions":{"uid":1}}',
  '{"propagationPolicy":"Nothing","dryRun":["x"],"gracePeriodSeconds":"y"}',
  '{"kind":"Scale","spec":{"replicas":"many"}}',
  '{"spec":{"replicas":-1}}',
];

const contentTypes = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/json; charset=utf-16',
  ';;;',
  'x'.repeat(2_000),
];

const targets = [
  gadgets,
  `${gadgets}/a`,
  `${gadgets}/a/status`,
  `${gadgets}/a/scale`,
  maps,
  `${maps}/a`,
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/api/v1/namespaces/spare',
  '/api/v1/namespaces/default/secrets/a',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
];

const headers = [
  'Accept: application/json;as=Table;v=v9;g=x',
  'Accept: ;;;q=x,,,',
  `Accept: ${'a/b,'.repeat(2_000)}`,
  'Accept-Encoding: gzip;q=nan',
  'Authorization: Bearer',
  'Authorization: Bearer \x80\xff',
  `Authorization: Bearer ${'t'.repeat(8_000)}`,
  'Impersonate-User: system:admin',
  'X-Remote-User: admin',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Connection: upgrade\r\nUpgrade: SPDY/3.1',
  'Expect: 200-ok',
  'Range: bytes=0-1',
  'Content-Encoding: gzip',
  'Host: other',
  ' folded: x',
  'User-Agent: \x80/1',
  `User-Agent: ${'u'.repeat(4_000)}/1`,
  'X-HTTP-Method-Override: DELETE',
  `X-Many: ${'y'.repeat(40_000)}`,
  'No colon at all',
  'Space : x',
  ': empty',
];

/** Framing that a proxy and a server could read differently. The hidden request must not be executed. */
const hidden = `DELETE /api/v1/namespaces/kept/configmaps/keep HTTP/1.1\r\nHost: x\r\n\r\n`;
const framings = [
  `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
  `Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\n{}\n${hidden}`,
  `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
  `Transfer-Encoding : chunked\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  `Content-Length: 3\r\nContent-Length: ${3 + hidden.length}\r\n\r\n{}\n${hidden}`,
  `Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  `Content-Length: +3\r\n\r\n{}\n${hidden}`,
  `Content-Length: -1\r\n\r\n${hidden}`,
  `Content-Length: 0x10\r\n\r\n${hidden}`,
  `Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${hidden}`,
  `Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  'Content-Length: 99999999999999999999\r\n\r\n{}',
  'Content-Length: 900000000\r\n\r\n{}',
];
const unfinished = [
  'Content-Length: 50\r\n\r\n{"metadata"',
  'Transfer-Encoding: chunked\r\n\r\n5\r\n{"met',
  'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n',
  'Content-Type: application/json\r\nContent-',
];
const garbage = [
  '\r\n\r\n\r\n',
  '\x16\x03\x01\x00',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL', 'M-SEARCH'];

export function hostileRequest(random: SeededRandom): HostileRequest {
  const kind = random.integer(0, 99);
  const lines = (method: string, target: string, rest: string) => `${method} ${target} HTTP/1.1\r\nHost: x\r\n${rest}`;
  const whole = (bytes: string, isLast = false) => ({ bytes, isComplete: true, isLast });
  if (kind < 18) return whole(lines(random.pick(methods), random.pick(paths), 'Content-Length: 0\r\n\r\n'));
  if (kind < 40) {
    const target = `${random.pick(targets)}?${random.pick(queries)}&${random.pick(queries)}`;
    return whole(lines(random.pick(['GET', 'GET', 'DELETE', 'POST']), target, 'Content-Length: 0\r\n\r\n'));
  }
  if (kind < 50) {
    const line = `${random.pick(headers)}\r\n${random.pick(headers)}\r\n\r\n`;
    return { bytes: lines('GET', random.pick(targets), line), isComplete: true, isLast: true };
  }
  if (kind < 90) {
    const method = random.pick(['POST', 'PUT', 'PATCH', 'PATCH', 'DELETE']);
    const target = `${random.pick(targets)}${random.chance(0.2) ? `?${random.pick(queries)}` : ''}`;
    const body = mutated(random, random.pick(bodies));
    const fitting = method === 'PATCH' ? random.pick(contentTypes.slice(2, 6)) : 'application/json';
    const type = `Content-Type: ${random.chance(0.7) ? fitting : random.pick(contentTypes)}\r\n`;
    const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n`;
    return whole(lines(method, target, `${type}${length}${body}`));
  }
  if (kind < 96) return { bytes: lines('POST', maps, random.pick(framings)), isComplete: false, isLast: true };
  if (kind < 98) return { bytes: lines('POST', maps, random.pick(unfinished)), isComplete: false, isLast: true };
  return { bytes: mutated(random, random.pick(garbage)), isComplete: false, isLast: true };
}

/** Sometimes cut short, or with one byte changed. */
function mutated(random: SeededRandom, text: string): string {
  if (text === '' || random.chance(0.6)) return text;
  const at = random.integer(0, Math.min(text.length, 5_000) - 1);
  if (random.chance(0.5)) return text.slice(0, at);
  return text.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + text.slice(at + 1);
}
