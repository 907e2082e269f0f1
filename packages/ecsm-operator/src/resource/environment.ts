/** Environments of instances: lines `NAME=value`, in `process.env` for SylixOS and in `env` for Linux. */
import type { ServiceDetail } from '@ecsm/client';
import { shape } from '@ecsm/runtime';

/** The name and the value of a line; a line without `=` is a name with an empty value. */
export function splitLine(line: string): readonly [name: string, value: string] {
  const equals = line.indexOf('=');
  return equals === -1 ? [line, ''] : [line.slice(0, equals), line.slice(equals + 1)];
}

/** One line for each name: later groups override earlier ones. */
export function mergeLines(...groups: readonly (readonly string[])[]): string[] {
  const lines = new Map<string, string>();
  for (const line of groups.flat()) lines.set(splitLine(line)[0], line);
  return [...lines.values()];
}

/** All lines of the environment of a service that the platform returns. */
export function environmentOf({ image }: Pick<ServiceDetail, 'image'>): readonly string[] {
  const config = image?.config ?? {};
  const { process, env } = config;
  return [...linesOf(shape.isObject(process) ? process['env'] : undefined), ...linesOf(env)];
}

/** The strings of a value that should be a list of strings. */
export function linesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}
