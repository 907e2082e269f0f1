import { describe, expect, it } from 'vitest';
import { TestOutput } from '../command/test-terminal.kit.ts';
import { Live } from './live.ts';
import { Screen } from './screen.kit.ts';

/** As the system passes it on: with a carriage return before each line feed. */
const sent = (text: string) => text.replaceAll('\n', '\r\n');
const terminal = (columns = 40, rows = 10) => new TestOutput({ columns, rows }, false);

describe('a live region in a terminal', () => {
  it('replaces each text by the next one, of any length', () => {
    const sink = terminal();
    const live = new Live(sink);
    for (const text of ['one\ntwo\nthree', 'a longer line than before\nb', 'c\nd\ne\nf']) {
      live.show(text);
      const screen = new Screen(40).feed(sent(sink.text));
      expect([screen.text, screen.isCursorShown]).toEqual([text, false]);
    }
    live.close();
    const screen = new Screen(40).feed(sent(sink.text));
    expect([screen.text, screen.isCursorShown]).toEqual(['c\nd\ne\nf\n', true]);
  });

  it('truncates lines, and omits rows that do not fit', () => {
    const sink = terminal(10, 4);
    new Live(sink).show('a line that is too long\n二二二二二二\n3\n4\n5');
    expect(new Screen(10).feed(sent(sink.text)).text).toBe('a line t…\n二二二二…\n… 3 more…');
  });

  it('repaints lines that a narrower terminal has wrapped', () => {
    const sink = terminal(20, 10);
    const live = new Live(sink);
    live.show('eighteen columns..\nx');
    sink.text = '';
    sink.size = { columns: 9, rows: 10 };
    live.show('new');
    // What was one line is two now; the cursor is in the third.
    const screen = new Screen(9).feed(sent('eighteen columns..\nx')).feed(sent(sink.text));
    expect(screen.text).toBe('new');
  });

  it('writes nothing when nothing has changed', () => {
    const sink = terminal();
    const live = new Live(sink);
    live.show('same');
    const before = sink.text;
    live.show('same');
    expect(sink.text).toBe(before);
  });

  it('prints permanent lines above it', () => {
    const sink = terminal();
    const live = new Live(sink);
    live.show('1/3\nready');
    live.print('warning: weak link');
    live.show('2/3\nready');
    live.close();
    expect(new Screen(40).feed(sent(sink.text)).text).toBe('warning: weak link\n2/3\nready\n');
  });

  it('stays below the output of another stream of the terminal', () => {
    const sink = terminal();
    const live = new Live(sink);
    live.show('1/3\nready');
    live.above(() => sink.write('a is gone\n'));
    live.clear();
    live.above(() => sink.write('b is gone\n'));
    expect(new Screen(40).feed(sent(sink.text)).text).toBe('a is gone\nb is gone\n');
  });

  it('is empty after it was cleared, and then does nothing', () => {
    const sink = terminal();
    const live = new Live(sink);
    live.show('a\nb');
    live.clear();
    live.show('late');
    live.clear();
    live.close();
    const screen = new Screen(40).feed(sent(sink.text));
    expect([screen.text, screen.isCursorShown]).toEqual(['', true]);
  });

  it('restores the cursor when it is interrupted', () => {
    const stop = new AbortController();
    const sink = terminal();
    const live = new Live(sink, stop.signal);
    live.show('working');
    stop.abort();
    live.show('late');
    const screen = new Screen(40).feed(sent(sink.text));
    expect([screen.text, screen.isCursorShown]).toEqual(['working\n', true]);
    new Live(sink, stop.signal).show('too late');
    expect(sink.text).not.toContain('too late');
  });
});

it('a live region without a terminal prints a line for each change, and no control codes', () => {
  const sink = new TestOutput(undefined, false);
  const live = new Live(sink);
  live.show('1/3 after 1 s', '1/3');
  live.show('1/3 after 2 s', '1/3');
  live.show('2/3 after 3 s', '2/3');
  live.print('a line');
  live.show('2/3 after 4 s', '2/3');
  live.show('the text itself');
  live.show('the text itself');
  live.clear();
  expect(sink.text).toBe('1/3 after 1 s\n2/3 after 3 s\na line\nthe text itself\n');
});
