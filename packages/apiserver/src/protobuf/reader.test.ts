import { describe, expect, it } from 'vitest';
import { field, integer, randomOf, sampleMessage } from './encoder.kit.ts';
import { type FieldType, type MessageType, quantity } from './message.ts';
import { MessageReader, readerLimits } from './reader.ts';

const read = (type: MessageType, ...fields: readonly Buffer[]) => new MessageReader().read(type, Buffer.concat(fields));

describe('a message', () => {
  it('leaves out zero values, but not those that JSON keeps', () => {
    const type: MessageType = {
      fields: { 1: ['text', 'string'], 2: ['count', 'int32'], 3: ['flag', 'bool'], 4: ['seconds', 'int64', 'kept'] },
    };
    expect(read(type, field(1, ''), integer(2, 0), integer(3, 0), integer(4, 0))).toEqual({ seconds: 0 });
  });

  it('takes the last of several values', () => {
    const type: MessageType = { fields: { 1: ['text', 'string'] } };
    expect(read(type, field(1, 'a'), field(1, 'b'))).toEqual({ text: 'b' });
    expect(read(type, field(1, 'a'), field(1, ''))).toEqual({});
  });

  it('skips unknown fields of every wire type', () => {
    const fixed64 = Buffer.from([10 * 8 + 1, 1, 2, 3, 4, 5, 6, 7, 8]);
    const fixed32 = Buffer.from([11 * 8 + 5, 1, 2, 3, 4]);
    const type: MessageType = { fields: { 1: ['text', 'string'] } };
    expect(read(type, integer(9, 5), fixed64, fixed32, field(99, 'x'), field(1, 'a'))).toEqual({ text: 'a' });
  });

  it('has no time if it is zero, and 1970 if it is written', () => {
    const type: MessageType = { fields: { 1: ['at', 'time'], 2: ['since', 'microTime'] } };
    expect(read(type, field(1, ''), field(2, ''))).toEqual({});
    const start = Buffer.concat([integer(1, 0), integer(2, 0)]);
    expect(read(type, field(1, start), field(2, start))).toEqual({
      at: '1970-01-01T00:00:00Z',
      since: '1970-01-01T00:00:00.000000Z',
    });
  });

  it('has an empty value for a map entry without one', () => {
    const type: MessageType = {
      fields: { 1: ['bytes', { map: 'bytes' }], 2: ['lists', { map: { wrapped: { list: 'string' } } }] },
    };
    expect(read(type, field(1, field(1, 'a')), field(2, field(1, 'b')), field(2, field(2, '')))).toEqual({
      bytes: { a: '' },
      lists: { b: [], '': [] },
    });
  });

  it('reads random quantities, and numbers or texts', () => {
    const type: MessageType = {
      fields: { 1: ['port', 'intOrString', 'kept'], 2: ['limits', { map: quantity }], 3: ['size', quantity] },
    };
    const random = randomOf(3);
    for (let run = 0; run < 200; run++) {
      const { value, bytes } = sampleMessage(type, random);
      expect(read(type, bytes)).toEqual(value);
    }
  });

  it('is refused if it is nested too deeply', () => {
    const nested = (levels: number): readonly [MessageType, Buffer] => {
      let type: FieldType = { fields: {} };
      let bytes = Buffer.alloc(0);
      for (let level = 1; level < levels; level++) {
        type = { fields: { 1: ['next', type] } };
        bytes = Buffer.from(field(1, bytes));
      }
      return [type, bytes];
    };
    expect(read(...nested(readerLimits.depthMax))).toHaveProperty('next');
    expect(() => read(...nested(readerLimits.depthMax + 1))).toThrow('nested too deeply');
  });

  it('counts the depth of siblings once', () => {
    const type: MessageType = { fields: { 1: ['items', { list: { fields: {} } }] } };
    const items = Array.from({ length: readerLimits.depthMax * 2 }, () => field(1, ''));
    expect(read(type, ...items).items).toHaveLength(readerLimits.depthMax * 2);
  });
});
