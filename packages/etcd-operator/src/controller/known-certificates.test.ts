import { describe, expect, it } from 'vitest';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { KnownCertificates, usesMax } from './known-certificates.ts';

const cluster = (uid: string, generation = 1): EtcdCluster => {
  const { metadata, ...rest } = EtcdCluster.default({ metadata: { name: 'main' }, spec: {} });
  const { name } = metadata;
  return {
    ...rest,
    metadata: { name, namespace: 'default', uid, resourceVersion: '1', generation, creationTimestamp: '' },
  };
};
const read = {
  facts: undefined,
  credentials: undefined,
  trust: 'a',
  material: { leaves: {} },
  stored: undefined,
  foreign: [],
};

describe('KnownCertificates', () => {
  it('are used a limited number of times, then read again', () => {
    const known = new KnownCertificates();
    known.keep('default/main', cluster('1'), read);
    for (let use = 0; use < usesMax; use++) expect(known.use('default/main', cluster('1'))).toBe(read);
    expect(known.use('default/main', cluster('1'))).toBeUndefined();
    known.keep('default/main', cluster('1'), read);
    expect(known.use('default/main', cluster('1'))).toBe(read);
  });

  it('are not used for another spec, which may want other names in them', () => {
    const known = new KnownCertificates();
    known.keep('default/main', cluster('1'), read);
    expect(known.use('default/main', cluster('1', 2))).toBeUndefined();
  });

  it('are not used for another cluster of the same name, nor after they were forgotten', () => {
    const known = new KnownCertificates();
    known.keep('default/main', cluster('1'), read);
    expect(known.use('default/main', cluster('2'))).toBeUndefined();
    known.forget('default/main');
    expect(known.use('default/main', cluster('1'))).toBeUndefined();
  });
});
