import { describe, expect, it } from 'vitest';
import { negotiate, negotiateDiscovery } from './accept.ts';

const json = { mediaType: 'application/json', as: undefined, pretty: false };
const table = { ...json, as: 'Table' };

/** The headers of kubectl 1.32, client-go and controller-runtime. */
const kubectlGet =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const metadataInformer =
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

describe('negotiate', () => {
  it.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    ['application/json', json],
    ['application/json, */*', json],
    ['application/yaml', { ...json, mediaType: 'application/yaml' }],
    ['application/vnd.kubernetes.protobuf,application/json', json],
    ['application/json;stream=watch', json],
    ['application/json;pretty=1', { ...json, pretty: true }],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
    [kubectlGet, table],
    [metadataInformer, { ...json, as: 'PartialObjectMetadataList' }],
    ['application/json; as=Table; g=meta.k8s.io; v=v1', table],
    ['application/json;as="Table";g=meta.k8s.io;v=v1', table],
    ['*/*;as=Table;g=meta.k8s.io;v=v1', table],
    ['application/json;q=0.5,application/yaml;q=0.9', { ...json, mediaType: 'application/yaml' }],
    ['application/yaml;q=0,application/json', json],
    ['*/*,application/yaml', { ...json, mediaType: 'application/yaml' }],
    // A form that the server does not have is skipped.
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', json],
    ['application/json;as=Chart;v=v1;g=meta.k8s.io,application/json', json],
  ])('understands %s', (accept, result) => {
    // The second time, the result is one that was kept.
    for (let n = 0; n < 2; n++) expect(negotiate(accept)).toEqual(result);
  });

  it('understands a header after many others', () => {
    for (let n = 0; n < 100; n++) expect(negotiate(`application/json;n=${n}`)).toEqual(json);
    expect(negotiate(kubectlGet)).toEqual(table);
  });

  it.each([
    'application/vnd.kubernetes.protobuf',
    'application/cbor',
    'text/html',
    'application/json;q=0',
    'application/json;as=Chart;v=v1;g=meta.k8s.io',
    'application/json;as=Table',
    'application/json;stream=other',
    ';;,=;',
  ])('answers 406 to %s', (accept) => {
    expect(() => negotiate(accept)).toThrowError(
      expect.objectContaining({
        code: 406,
        reason: 'NotAcceptable',
        message: 'only the following media types are accepted: application/json, application/yaml',
      }),
    );
  });

  it('offers only the transforms of the endpoint', () => {
    expect(negotiate(kubectlGet, [])).toEqual(json);
  });
});

describe('negotiateDiscovery', () => {
  const plain = { mediaType: 'application/json', aggregated: false, pretty: false };

  it.each([
    ['application/json', plain],
    [undefined, plain],
    [
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      { ...plain, aggregated: true },
    ],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', plain],
    [
      'application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      { ...plain, aggregated: true },
    ],
  ])('understands %s', (accept, result) => {
    expect(negotiateDiscovery(accept)).toEqual(result);
  });

  it('answers 406 to an unknown form', () => {
    expect(() => negotiateDiscovery('application/json;g=x;v=v2;as=APIGroupDiscoveryList')).toThrowError(
      expect.objectContaining({ code: 406 }),
    );
  });
});
