import { describe, expect, it } from 'vitest';
import { parsePage } from './listing.ts';
import { childrenOf, escapeXml, parseXml, rawTextOf, textOf } from './xml.ts';

describe('an answer in XML', () => {
  it('is read with namespaces, attributes, empty elements and entities', () => {
    const root = parseXml(
      '<?xml version="1.0"?>\n<s3:Result xmlns:s3="x"><Key> a&amp;b&#x20;&#99;&lt; </Key><None/><None a="b" /></s3:Result>',
    );
    expect(root?.name).toBe('Result');
    expect(rawTextOf(root, 'Key')).toBe(' a&b c< ');
    expect(textOf(root, 'Key')).toBe('a&b c<');
    expect(childrenOf(root, 'None')).toHaveLength(2);
    expect(textOf(root, 'Missing')).toBe('');
  });

  it.each(['', 'not XML', '<a>', '<a><b></a>', '{}', '<a>'.repeat(50), '<'.repeat(100_000)])(
    'that is damaged is nothing: %.20s',
    (text) => {
      expect(parseXml(text)).toBeUndefined();
    },
  );

  it('keeps entities that it does not know', () => {
    expect(textOf(parseXml('<a><b>&unknown;&#x110000;</b></a>'), 'b')).toBe('&unknown;&#x110000;');
  });

  it('can carry what was escaped', () => {
    const text = `<&>"'`;
    expect(textOf(parseXml(`<a><b>${escapeXml(text)}</b></a>`), 'b')).toBe(text);
  });
});

describe('a page of a list', () => {
  it('has objects and the next page; entries that are none are skipped', () => {
    const page = parsePage(
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t=1</NextContinuationToken>
       <Contents><Key>a/1</Key><Size>5</Size><LastModified>2026-01-02T03:04:05.678Z</LastModified></Contents>
       <Contents><Key>b/1</Key><Size>5</Size></Contents><Contents><Key>a/2</Key></Contents>
       <CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult>`,
      'a/',
    );
    expect(page).toEqual({ objects: [{ key: 'a/1', sizeBytes: 5, modifiedAtMs: 1_767_323_045_678 }], next: 't=1' });
  });

  it('is not any XML', () => {
    expect(parsePage('<html></html>', '')).toBeUndefined();
  });
});
