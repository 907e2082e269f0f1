/** The examples of AWS' documentation: "Signature Calculations for the Authorization Header", with a single chunk. */
import { timeMsOf } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { emptySha256, encodePath, queryString, type RequestToSign, signed } from './signature.ts';

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const scope = { region: 'us-east-1', timeMs: timeMsOf('2013-05-24T00:00:00Z') ?? 0 };
const host = 'examplebucket.s3.amazonaws.com';

const request = (parts: Partial<RequestToSign>): RequestToSign => ({
  method: 'GET',
  path: '/',
  query: {},
  payloadSha256: emptySha256,
  ...parts,
  headers: { host, ...parts.headers },
});

const signature = (parts: Partial<RequestToSign>) =>
  signed(request(parts), credentials, scope)['authorization']?.split('Signature=')[1];

describe('a signed request', () => {
  it('for a part of an object has the signature of the documentation', () => {
    const headers = signed(request({ path: '/test.txt', headers: { range: 'bytes=0-9' } }), credentials, scope);
    expect(headers['authorization']).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
        'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
    expect(headers['x-amz-date']).toBe('20130524T000000Z');
  });

  it('that puts an object with a special name has the signature of the documentation', () => {
    const put = {
      method: 'PUT',
      path: `/${encodePath('test$file.text')}`,
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payloadSha256: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    };
    expect(signature(put)).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
  });

  it('with a query has the signature of the documentation', () => {
    expect(signature({ query: { lifecycle: '' } })).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
    expect(signature({ query: { prefix: 'J', 'max-keys': '2' } })).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });

  it('carries and signs the session token of temporary credentials', () => {
    const headers = signed(request({}), { ...credentials, sessionToken: 'token' }, scope);
    expect(headers['x-amz-security-token']).toBe('token');
    expect(headers['authorization']).toContain(';x-amz-security-token');
  });
});

describe('a path and a query', () => {
  it('are encoded as AWS wants it', () => {
    expect(encodePath("a b/ü/+*'()!~")).toBe('a%20b/%C3%BC/%2B%2A%27%28%29%21~');
    expect(queryString({ prefix: 'a/b', 'list-type': '2', uploads: '' })).toBe('list-type=2&prefix=a%2Fb&uploads=');
  });
});
