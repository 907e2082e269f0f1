import { describe, expect, it } from 'vitest';
import { covers, isSameField } from './covers.ts';

describe('covers', () => {
  it('ignores what a server has added', () => {
    const live = { spec: { type: 'ClusterIP', ports: [{ port: 1, protocol: 'TCP' }] }, status: {} };
    expect(covers(live, { spec: { ports: [{ port: 1 }] } })).toBe(true);
  });

  it('ignores empty maps and lists that a server has dropped', () => {
    expect(covers({ metadata: {} }, { metadata: { labels: {} }, data: {}, ports: [] })).toBe(true);
  });

  it('ignores items of others, which an apply does not remove', () => {
    const wanted = { spec: { ports: [{ port: 1 }, { port: 2 }] } };
    expect(covers({ spec: { ports: [{ port: 3 }, { port: 1 }, { port: 2 }] } }, wanted)).toBe(true);
    expect(covers({ spec: { ports: [{ port: 3 }, { port: 1 }] } }, wanted)).toBe(false);
  });

  it('notices what is missing or differs', () => {
    expect(covers({ spec: {} }, { spec: { size: 0 } })).toBe(false);
    expect(covers({ spec: { ports: [{ port: 1 }] } }, { spec: { ports: [{ port: 2 }] } })).toBe(false);
    expect(covers({}, { data: { key: 'value' } })).toBe(false);
  });
});

describe('isSameField', () => {
  it('notices a key that is not wanted', () => {
    expect(isSameField({ data: { a: '1', b: '2' } }, { data: { a: '1' } }, 'data')).toBe(false);
    expect(isSameField({ data: { a: '1' } }, { data: {} }, 'data')).toBe(false);
  });

  it('takes an empty field and none for the same', () => {
    expect(isSameField({}, { data: {} }, 'data')).toBe(true);
  });
});
