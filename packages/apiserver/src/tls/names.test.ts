import { describe, expect, it } from 'vitest';
import { addressBytes, serverNames } from './names.ts';

describe('addressBytes', () => {
  it.each([
    ['127.0.0.1', '7f000001'],
    ['255.255.255.255', 'ffffffff'],
    ['::1', '00000000000000000000000000000001'],
    ['::', '00000000000000000000000000000000'],
    ['fe80::1:2', 'fe800000000000000000000000010002'],
    ['2001:DB8:0:0:0:0:0:1', '20010db8000000000000000000000001'],
    ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
  ])('reads %s', (text, bytes) => {
    expect(addressBytes(text)?.toString('hex')).toBe(bytes);
  });

  it.each(['256.0.0.1', '1.2.3', '01.2.3.4', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', 'g::1', 'localhost', ''])(
    'does not take %j for an address',
    (text) => {
      expect(addressBytes(text)).toBeUndefined();
    },
  );
});

describe('serverNames', () => {
  it('keeps each name once, in lower case', () => {
    expect(serverNames(['Edge-1.local', 'edge-1.local', '10.0.0.1'])).toEqual(['edge-1.local', '10.0.0.1']);
  });

  it.each(['', 'a b', '-a', 'a..b', 'a\0b', 'x'.repeat(64)])('rejects %j', (name) => {
    expect(() => serverNames([name])).toThrow('neither a DNS name nor an IP address');
  });
});
