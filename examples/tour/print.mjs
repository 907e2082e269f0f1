/** Output of the tour: 80 columns, and colour only on a terminal. */
import { styleText } from 'node:util';

const columns = 80;
const indent = 5;
const labelWidth = 9;
const textWidth = 42;
const hasColour = process.stdout.isTTY && !process.env.NO_COLOR;

function colour(format, text) {
  return hasColour ? styleText(format, text) : text;
}

export function title(text) {
  console.log(`\n${colour('bold', text)}\n`);
}

/** Prints a paragraph, wrapped to the width of the screen. */
export function say(text) {
  for (const line of wrap(text, columns)) console.log(line);
}

/** Prints text that must not be wrapped, such as a path. */
export function show(text) {
  console.log(`  ${colour('bold', text)}`);
}

export function step(number, text) {
  const [first, ...rest] = wrap(text, columns - 3);
  console.log(`\n${colour('bold', `${number}. ${first}`)}`);
  for (const line of rest) console.log(colour('bold', `   ${line}`));
}

/** A write of this process, and its duration: until it is flushed and its file is in place. */
export function wrote(text, tookMs) {
  line('wrote', 'green', text, tookMs === undefined ? '' : `done after ${milliseconds(tookMs)}`);
}

/** An event received by the other process, and the time since the start of the write. */
export function watched(text, tookMs) {
  line('watcher', 'cyan', text, tookMs === undefined ? '' : `seen after ${milliseconds(tookMs)}`);
}

export function rejected(text) {
  line('rejected', 'red', text, '');
}

/** An action between two writes. */
export function note(text) {
  console.log(colour('dim', `${' '.repeat(indent)}… ${text}`));
}

function milliseconds(tookMs) {
  return `${tookMs.toFixed(1).padStart(6)} ms`;
}

function line(label, format, text, right) {
  const [first, ...rest] = wrap(text, right === '' ? columns - indent - labelWidth : textWidth);
  const head = `${' '.repeat(indent)}${colour(format, label.padEnd(labelWidth))}`;
  console.log(right === '' ? `${head}${first}` : `${head}${first.padEnd(textWidth)}  ${colour('dim', right)}`);
  for (const more of rest) console.log(`${' '.repeat(indent + labelWidth)}${more}`);
}

/** Wraps at spaces. A word longer than a line gets its own line. */
function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
