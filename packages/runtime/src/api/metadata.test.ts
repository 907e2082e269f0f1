import { describe, expect, it } from 'vitest';
import { formatFieldError } from './errors.ts';
import {
  ANNOTATIONS_BYTES_MAX,
  FINALIZERS_MAX,
  LABELS_MAX,
  OWNER_REFERENCES_MAX,
  validateMetadata,
} from './metadata.ts';

const texts = (fields: object) => validateMetadata({ name: 'x', ...fields }).map(formatFieldError);
const owner = (uid: string, more: object = {}) => ({
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  name: `w-${uid}`,
  uid,
  ...more,
});
const many = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('metadata', () => {
  it('is valid with a name alone, and with everything', () => {
    expect(validateMetadata({ name: 'x' })).toEqual([]);
    expect(
      texts({
        namespace: 'fleet-1',
        uid: 'u1',
        resourceVersion: '17',
        generation: 1,
        creationTimestamp: '2026-02-03T04:05:06Z',
        deletionTimestamp: '2026-02-03T04:05:06Z',
        finalizers: ['ecsm.sh/cleanup'],
        labels: { app: '', 'example.com/Tier': 'Front_1' },
        annotations: { 'Example.com/Note': 'any text\n' },
        ownerReferences: [owner('1', { controller: true, blockOwnerDeletion: true }), owner('2')],
      }),
    ).toEqual([]);
  });

  it.each<[object, RegExp]>([
    [{ name: 'Bad_Name' }, /^metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 label must consist/],
    [{ name: 'a'.repeat(64) }, /^metadata\.name: Too long: must be no more than 63 characters$/],
    [{ name: undefined }, /^metadata\.name: Required value: must be set$/],
    [{ namespace: '' }, /^metadata\.namespace: Required value/],
    [{ lables: {} }, /^metadata\.lables: Unknown field: did you mean "labels"\?$/],
    [{ labels: { '/x': 'a' } }, /^metadata\.labels: Invalid value: "\/x": prefix part must be non-empty$/],
    [
      { labels: { 'example.com/app': 'a b' } },
      /^metadata\.labels\[example\.com\/app\]: Invalid value: "a b": a valid label/,
    ],
    [{ labels: { app: 1 } }, /^metadata\.labels\.app: Invalid value: 1: must be a string$/],
    [{ annotations: { 'a b': 'x' } }, /^metadata\.annotations: Invalid value: "a b": name part must consist/],
    [{ finalizers: ['not ok'] }, /^metadata\.finalizers\[0\]: Invalid value: "not ok"/],
    [{ finalizers: ['a/b', 'a/b'] }, /^metadata\.finalizers\[1\]: Duplicate value: "a\/b"$/],
    [{ creationTimestamp: 'yesterday' }, /^metadata\.creationTimestamp: Invalid value: "yesterday": must be a time/],
    [
      { ownerReferences: [{ ...owner('1'), uid: '' }] },
      /^metadata\.ownerReferences\[0\]\.uid: Required value: must not be empty$/,
    ],
    [
      { ownerReferences: [{ kind: 'Widget', name: 'w', uid: '1' }] },
      /^metadata\.ownerReferences\[0\]\.apiVersion: Required value/,
    ],
    [{ ownerReferences: [owner('1'), owner('1')] }, /^metadata\.ownerReferences\[1\]\.uid: Duplicate value: "1"$/],
    [
      { ownerReferences: [owner('1', { controller: true }), owner('2', { controller: true })] },
      /^metadata\.ownerReferences: Invalid value: Widget\/w-1, Widget\/w-2: only one reference can have controller set to true$/,
    ],
  ])('refuses %j', (fields, expected) => {
    expect(texts(fields)).toEqual([expect.stringMatching(expected)]);
  });

  it('limits the number of labels, finalizers, owners and annotation bytes', () => {
    const labels = (count: number) => ({ labels: Object.fromEntries(many(count, (index) => [`k${index}`, 'v'])) });
    const finalizers = (count: number) => ({ finalizers: many(count, (index) => `f${index}`) });
    const owners = (count: number) => ({ ownerReferences: many(count, (index) => owner(`${index}`)) });
    const annotations = (bytes: number) => ({ annotations: { a: 'é'.repeat((bytes - 2) / 2), b: '' } });
    expect(
      texts({
        ...labels(LABELS_MAX),
        ...finalizers(FINALIZERS_MAX),
        ...owners(OWNER_REFERENCES_MAX),
        ...annotations(ANNOTATIONS_BYTES_MAX),
      }),
    ).toEqual([]);
    expect(texts(labels(LABELS_MAX + 1))).toEqual(['metadata.labels: Too many: 257: must have at most 256 items']);
    expect(texts(finalizers(FINALIZERS_MAX + 1))).toEqual([
      'metadata.finalizers: Too many: 257: must have at most 256 items',
    ]);
    expect(texts(owners(OWNER_REFERENCES_MAX + 1))).toEqual([
      'metadata.ownerReferences: Too many: 257: must have at most 256 items',
    ]);
    expect(texts(annotations(ANNOTATIONS_BYTES_MAX + 2))).toEqual([
      'metadata.annotations: Too long: 262146 bytes: must have at most 262144 bytes',
    ]);
  });
});
