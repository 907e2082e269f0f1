/** How the tour looks: 80 columns, and colour only where it is wanted. */
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

/** A paragraph, as wide as the screen. */
export function say(text) {
  for (const line of wrap(text, columns)) console.log(line);
}

/** For what is longer than a line or has to be copied, such as a path. */
export function show(text) {
  console.log(`  ${colour('bold', text)}`);
}

export function step(number, text) {
  const [first, ...rest] = wrap(text, columns - 3);
  console.log(`\n${colour('bold', `${number}. ${first}`)}`);
  for (const line of rest) console.log(colour('bold', `   ${line}`));
}

/** What this process wrote, and how long after it began the write was done: flushed, and its file in place. */
export function wrote(text, tookMs) {
  line('wrote', 'green', text, tookMs === undefined ? '' : `done after ${milliseconds(tookMs)}`);
}

/** What the other process saw, and how long after the write began. */
export function watched(text, tookMs) {
  line('watcher', 'cyan', text, tookMs === undefined ? '' : `seen after ${milliseconds(tookMs)}`);
}

export function refused(text) {
  line('refused', 'red', text, '');
}

/** What happens in between. */
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

/** Whole words; one that is longer than a line gets a line of its own. */
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
