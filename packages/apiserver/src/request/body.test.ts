import { describe, expect, it } from 'vitest';
import { sentByKubectl } from '../protobuf/fixtures.kit.ts';
import { statusOf } from '../response/status.ts';
import { decodeBody, patchMediaTypes, patchTypeOf } from './body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function failureOf(decoding: Promise<unknown>): Promise<{ code: number; message: string | undefined }> {
  const error = await decoding.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, body } = statusOf(error);
  return { code, message: body.message };
}

describe('decodeBody', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', undefined])(
    'reads JSON with the content type %s',
    async (contentType) => {
      expect(await decodeBody(bytes('{"a":[1,null]}'), contentType)).toEqual({
        value: { a: [1, null] },
        duplicates: [],
      });
    },
  );

  it('reads YAML', async () => {
    const { value } = await decodeBody(bytes('kind: ConfigMap\ndata:\n  a: "1"\n'), 'application/yaml');
    expect(value).toEqual({ kind: 'ConfigMap', data: { a: '1' } });
  });

  it('refuses YAML with more tokens than can be read in a bounded time', async () => {
    const lines = (count: number) => bytes(Array.from({ length: count }, (_, n) => `k${n}: v\n`).join(''));
    expect(Object.keys(Object((await decodeBody(lines(5_000), 'application/yaml')).value))).toHaveLength(5_000);
    expect(await failureOf(decodeBody(lines(40_000), 'application/yaml'))).toMatchObject({
      code: 400,
      message: expect.stringContaining('more than 100000 tokens'),
    });
  });

  it('reports duplicate keys and keeps the last value', async () => {
    const decoded = await decodeBody(bytes('{"spec":{"replicas":1,"replicas":2}}'), 'application/json');
    expect(decoded).toEqual({ value: { spec: { replicas: 2 } }, duplicates: ['spec.replicas'] });
  });

  it('keeps __proto__ as an ordinary key', async () => {
    const { value } = await decodeBody(bytes('{"__proto__":{"a":1}}'), undefined);
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
  });

  it.each([
    ['an integer above 2^53', '{"a":9007199254740993}', 'has a number beyond ±(2^53 - 1)'],
    ['a number without an end', '{"a":1e999}', 'has a number beyond ±(2^53 - 1)'],
    ['deep nesting', '['.repeat(65) + ']'.repeat(65), 'is nested deeper than 64 levels'],
    ['very deep nesting', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 'is nested deeper than 64 levels'],
    ['a syntax error', '{"a":tru}', 'is not valid JSON'],
    ['no content', '', 'is empty'],
    ['a second value', '{}{}', 'is not valid JSON'],
  ])('refuses %s', async (_, text, reason) => {
    const failure = await failureOf(decodeBody(bytes(text), 'application/json'));
    expect(failure.code).toBe(400);
    expect(failure.message).toContain(`the body of the request ${reason}`);
  });

  it('does not repeat the body in an error', async () => {
    const failure = await failureOf(decodeBody(bytes('{"password":"hunter2"'), 'application/json'));
    expect(failure.code).toBe(400);
    expect(failure.message).not.toContain('hunter2');
  });

  it('refuses invalid UTF-8', async () => {
    const failure = await failureOf(decodeBody(Uint8Array.of(0x22, 0xff, 0x22), 'application/json'));
    expect(failure).toEqual({ code: 400, message: 'the body of the request is not valid UTF-8' });
  });

  it.each(['a: 1\n---\nb: 2\n', '', '# nothing\n'])('refuses YAML that is not one document: %j', async (text) => {
    expect((await failureOf(decodeBody(bytes(text), 'application/yaml'))).code).toBe(400);
  });

  it.each(['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf; charset=utf-8'])(
    'reads protobuf with the content type %s',
    async (contentType) => {
      expect(await decodeBody(Buffer.from(sentByKubectl['create namespace plant-a'], 'hex'), contentType)).toEqual({
        value: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plant-a' }, spec: {}, status: {} },
        duplicates: [],
      });
    },
  );

  it('refuses protobuf that is damaged, and protobuf under another content type', async () => {
    const body = Buffer.from(sentByKubectl['create namespace plant-a'], 'hex');
    expect((await failureOf(decodeBody(body.subarray(0, -1), 'application/vnd.kubernetes.protobuf'))).code).toBe(400);
    expect((await failureOf(decodeBody(bytes('{}'), 'application/vnd.kubernetes.protobuf'))).code).toBe(400);
    expect((await failureOf(decodeBody(body, 'application/json'))).code).toBe(400);
  });

  it.each([
    ['of an object without a known message', 'create serviceaccount robot -n x', undefined],
    ['for a patch', 'create namespace plant-a', patchMediaTypes],
  ] as const)('answers 415 to protobuf %s', async (_, command, accepts) => {
    const body = Buffer.from(sentByKubectl[command], 'hex');
    const options = accepts === undefined ? {} : { accepts };
    expect((await failureOf(decodeBody(body, 'application/vnd.kubernetes.protobuf', options))).code).toBe(415);
  });

  it.each(['application/cbor', 'text/plain', 'application/merge-patch+json', ''])(
    'answers 415 to the content type "%s"',
    async (contentType) => {
      expect(await failureOf(decodeBody(bytes('{}'), contentType))).toEqual({
        code: 415,
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      });
    },
  );

  it('refuses YAML if only JSON is accepted', async () => {
    const failure = await failureOf(decodeBody(bytes('a: 1'), 'application/yaml', { strictJson: true }));
    expect(failure.code).toBe(415);
  });

  it('reads an apply patch in YAML and other patches in JSON', async () => {
    const accepts = patchMediaTypes;
    const apply = await decodeBody(bytes('a: 1'), 'application/apply-patch+yaml', { accepts });
    expect(apply.value).toEqual({ a: 1 });
    const patch = await decodeBody(bytes('[]'), 'application/json-patch+json', { accepts });
    expect(patch.value).toEqual([]);
  });
});

describe('patchTypeOf', () => {
  it.each([
    ['application/json-patch+json', 'json'],
    ['application/merge-patch+json; charset=utf-8', 'merge'],
    ['application/strategic-merge-patch+json', 'strategic'],
    ['application/apply-patch+yaml', 'apply'],
  ] as const)('knows %s', (contentType, type) => {
    expect(patchTypeOf(contentType, { strategic: true })).toBe(type);
  });

  it.each(['application/strategic-merge-patch+json', 'application/json', undefined])(
    'answers 415 with the accepted types to %s for a custom kind',
    async (contentType) => {
      const failure = await failureOf(
        new Promise((resolve) => resolve(patchTypeOf(contentType, { strategic: false }))),
      );
      expect(failure).toEqual({
        code: 415,
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      });
    },
  );
});
