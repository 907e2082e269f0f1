import { defineKind, KindSet, schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { findKind, parseResourceArgs } from './kinds.ts';
import { knownKinds } from './session.ts';

const known = { kinds: knownKinds };

describe('a kind', () => {
  it.each(['ecsmservices', 'ecsmservice', 'ECSMService', 'es', 'ecsm', 'ECSMSERVICES.ecsm.sh', 'service', 'Services'])(
    'is found as %s',
    (word) => {
      expect(findKind(known, word).kind).toBe('ECSMService');
    },
  );

  it.each([
    ['revisions', 'ServiceRevision'],
    ['rev', 'ServiceRevision'],
    ['ev', 'Event'],
    ['identities', 'OperatorIdentity'],
  ])('is found by an ending that no other has: %s', (word, kind) => {
    expect(findKind(known, word).kind).toBe(kind);
  });

  it.each([
    ['ecsmservces', 'there is no kind "ecsmservces". Did you mean "ecsmservices"?'],
    ['evnts', 'there is no kind "evnts". Did you mean "events"?'],
    [
      'thing',
      'there is no kind "thing". There are ecsmservices, ecsmhpas, servicerevisions, operatoridentities, priorityclasses, events, leases.',
    ],
    ['ces', 'there is no kind "ces". Did you mean "es"?'],
    [
      'ns',
      'there is no kind "ns" in the registry: a namespace exists while an object is in it; "ecsmctl get all -A" shows them',
    ],
  ])('that does not exist, %s, is rejected with a suggestion or the list', (word, message) => {
    expect(() => findKind(known, word)).toThrow(message);
  });
});

describe('a kind of two groups', () => {
  const spec = schema.object({});
  const gadget = (group: string) =>
    defineKind({ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', spec, status: spec });
  const both = { kinds: new KindSet([gadget('a.io'), gadget('b.io')]) };

  it('has to be named with its group', () => {
    expect(() => findKind(both, 'gadget')).toThrow('"gadget" is ambiguous: use gadgets.a.io or gadgets.b.io');
    expect(findKind(both, 'gadgets.b.io').group).toBe('b.io');
  });
});

describe('words for objects', () => {
  const parsed = (...words: string[]) => {
    const { kinds, objects } = parseResourceArgs(known, words);
    return [kinds.map(({ kind }) => kind), objects?.map(({ kind, name }) => `${kind.kind}/${name}`)];
  };

  it('may be a kind', () => {
    expect(parsed('services')).toEqual([['ECSMService'], undefined]);
  });

  it('may be several kinds, each once', () => {
    expect(parsed('services,rev,es')).toEqual([['ECSMService', 'ServiceRevision'], undefined]);
  });

  it('may be a category', () => {
    expect(parsed('all')).toEqual([['ECSMService', 'ECSMHpa'], undefined]);
    expect(parsed('ALL,ev')).toEqual([['ECSMService', 'ECSMHpa', 'Event'], undefined]);
  });

  it('may be a kind and names, each once', () => {
    expect(parsed('service', 'a', 'b', 'a')).toEqual([['ECSMService'], ['ECSMService/a', 'ECSMService/b']]);
  });

  it('may be kinds with names behind slashes', () => {
    expect(parsed('service/a', 'lease/b', 'service/a')).toEqual([
      ['ECSMService', 'Lease'],
      ['ECSMService/a', 'Lease/b'],
    ]);
  });

  it('may be several kinds of one name', () => {
    expect(parsed('services,leases', 'a')).toEqual([
      ['ECSMService', 'Lease'],
      ['ECSMService/a', 'Lease/a'],
    ]);
  });

  it.each([
    [[], 'specify a kind, such as ecsmservices, or KIND/NAME'],
    [[''], 'specify a kind, such as ecsmservices, or KIND/NAME'],
    [['services,'], '"services," contains an empty kind: write KIND,KIND'],
    [['service/a', 'b'], '"b" is not KIND/NAME, but other arguments are: write KIND NAME... or KIND/NAME KIND/NAME...'],
    [['service', 'service/a'], '"service" is not KIND/NAME, but other arguments are'],
    [['service/a/b'], '"service/a/b" is not KIND/NAME'],
    [['/a'], '"/a" is not KIND/NAME'],
    [['service/'], '"service/" is not KIND/NAME'],
    [['service', 'a,b'], '"a,b" is not a valid object name: separate names with spaces'],
    [['service', 'ä'], '"ä" is not a valid object name: use a-z, 0-9 and "-"'],
    [['service', '../x'], '"service" is not KIND/NAME'],
    [
      ['pods/a'],
      'there is no kind "pods" in the registry: containers are on the platform, use "ecsm-cli get containers"',
    ],
    [['things/a'], 'there is no kind "things".'],
  ])('%j are rejected', (words, message) => {
    expect(() => parseResourceArgs(known, words)).toThrow(message);
  });
});
