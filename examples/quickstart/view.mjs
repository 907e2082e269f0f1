/** The view of the quickstart: a table of services, the latest events, and commands to try, as wide as the terminal. */
import { styleText } from 'node:util';
import { ECSMService } from '@ecsm/operator';

/** Width for a terminal that does not report its size, and of commands to copy. */
export const columnsDefault = 80;
const titles = ['NAME', 'READY', 'UP-TO-DATE', 'STRATEGY', 'IMAGE', 'STATUS'];

/** @returns {(format: string, text: string) => string} colours the text if enabled. */
export function painter(hasColour) {
  return (format, text) => (hasColour ? styleText(format, text) : text);
}

/** The desired number of instances. */
export function wanted({ spec: { deploymentStrategy } }) {
  const { type, replicas = 0, nodes = [] } = deploymentStrategy;
  return type === 'Static' ? nodes.length : replicas;
}

/** Whether all desired instances of the current generation are ready and nothing is in progress. */
export function isDone(service) {
  const { status, metadata } = service;
  if (!status || status.observedGeneration !== metadata.generation) return false;
  const count = wanted(service);
  const isAvailable = status.conditions.some(({ type, status: is }) => type === 'Available' && is === 'True');
  return isAvailable && [status.replicas, status.readyReplicas, status.updatedReplicas].every((one) => one === count);
}

const statusColumn = ECSMService.columns.find(({ name }) => name === 'STATUS');

/** One word: the problem, the operation in progress, or Available. */
export function statusWord(service) {
  return statusColumn.value(service);
}

export function serviceRow(service) {
  const { name } = service.metadata;
  const { readyReplicas = 0, updatedReplicas = 0 } = service.status ?? {};
  const { deploymentStrategy, template } = service.spec;
  const ready = `${readyReplicas}/${wanted(service)}`;
  return [name, ready, String(updatedReplicas), deploymentStrategy.type, template.image, statusWord(service)];
}

export function serviceTable(services, paint, columns) {
  const rows = services.map(serviceRow);
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const lineOf = (row) => cut(row.map((cell, column) => cell.padEnd(widths[column])).join('  '), columns);
  return [
    paint('bold', lineOf(titles)),
    ...rows.map((row, index) => paint(statusWord(services[index]) === 'Available' ? 'green' : 'yellow', lineOf(row))),
  ];
}

/** The latest events, newest last. */
export function eventLines(events, count, paint, columns) {
  const lines = events.slice(-count).map(({ lastTimestamp, type, involvedObject, reason, message }) => {
    const time = lastTimestamp.slice(11, 19);
    const line = cut(`${time}  ${involvedObject.name.padEnd(10)} ${reason}: ${message}`, columns);
    return type === 'Warning' ? paint('red', line) : line;
  });
  return lines.length === 0 ? ['…'] : lines;
}

/** How many events fit into a terminal next to the other lines. The commands to try must stay visible. */
export function eventsThatFit(rows, otherLines) {
  return Math.min(8, Math.max(2, rows - 1 - otherLines));
}

/** Breaks a long command into lines that a shell accepts. */
export function commandLines(words) {
  const indent = '    ';
  const lines = [indent];
  for (const word of words) {
    const last = lines.at(-1);
    const isFirst = last.trim() === '';
    if (isFirst) lines[lines.length - 1] = `${last}${word}`;
    else if (last.length + 1 + word.length + 2 <= columnsDefault) lines[lines.length - 1] = `${last} ${word}`;
    else {
      lines[lines.length - 1] = `${last} \\`;
      lines.push(`${indent}  ${word}`);
    }
  }
  return lines;
}

/** Removes control characters and limits the length, so that external text cannot break the display. */
export function cut(text, columns = columnsDefault) {
  const visible = text.replace(/\p{Cc}/gu, ' ').trimEnd();
  return visible.length <= columns ? visible : `${visible.slice(0, columns - 1)}…`;
}
