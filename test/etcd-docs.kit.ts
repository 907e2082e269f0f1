/** Shared by the tests of the documents of the etcd operator: generated tables, and commands that run on a small Kubernetes. */
import { execFile } from 'node:child_process';
import type { MetricRegistry, Schema } from '@ecsm/runtime';
import { expect } from 'vitest';
import { fieldRows, metricRows } from './tables.kit.ts';

export type Rows = readonly (readonly string[])[];

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

/** The page with these rows in the first table below each heading. */
export function withTables(page: string, tables: Readonly<Record<string, Rows>>): string {
  return Object.entries(tables).reduce((text, [heading, rows]) => withTable(text, heading, rows), page);
}

function withTable(text: string, heading: string, rows: Rows): string {
  const start = text.indexOf(`\n${heading}\n`);
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
  const table = /(^\|.*\n\|[-|]+\|\n)(?:\|.*\n)*/m;
  expect(start, heading).toBeGreaterThan(0);
  return text.slice(0, start) + text.slice(start).replace(table, (_all, head: string) => `${head}${lines}`);
}

export function specRows(schema: Schema): string[][] {
  return fieldRows(schema, 'spec').map(([field = '', ...rest]) => [code(field), ...rest]);
}

export function statusRows(schema: Schema | undefined): string[][] {
  return (schema ? fieldRows(schema, 'status') : []).map(([field = '', type = '', , meaning = '']) => [
    code(field),
    type,
    meaning,
  ]);
}

export function reasonRows(reasons: Readonly<Record<string, string>>): string[][] {
  return Object.entries(reasons).map(([reason, meaning]) => [code(reason), meaning]);
}

/** With the help of each metric. */
export function describedMetricRows(registry: MetricRegistry): string[][] {
  const help = new Map([...registry.render().matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name, text]) => [name, text]));
  return metricRows(registry).map(([name = '', type = '', labels = '']) => [
    code(name),
    type,
    labels,
    help.get(name) ?? '',
  ]);
}

export interface ShellResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a line of a document. One that does not end is killed. */
export function shell(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<ShellResult> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { cwd, timeout: 300_000, env }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code: exitCode, output: stdout + stderr });
    });
  });
}
