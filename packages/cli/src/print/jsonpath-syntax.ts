/** The syntax tree of a JSONPath template, and the error for an invalid one. */
import { truncate, visible } from '@ecsm/command-line';

export interface JsonPath {
  /** The source text. */
  readonly text: string;
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly parts: readonly Part[] };

export interface Path {
  /** `$`: starts at the whole value, even inside a range or a filter. */
  readonly fromRoot: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  /** `inner` are the names of `['metadata.name']` as separate fields, for objects without a key that contains the dots. */
  | { readonly kind: 'field'; readonly name: string; readonly inner?: readonly string[] }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly every: number;
    }
  /** `*` */
  | { readonly kind: 'each' }
  /** `..` */
  | { readonly kind: 'deep' }
  | { readonly kind: 'union'; readonly steps: readonly Step[] }
  | { readonly kind: 'filter'; readonly left: Operand; readonly test?: Test };

interface Test {
  readonly operator: Operator;
  readonly right: Operand;
}

export const operators = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Operator = (typeof operators)[number];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: string | number | boolean | null };

/** Bounds the nesting depth of filters. */
export const pathCharactersMax = 4096;
const shownColumnsMax = 60;
const reasonColumnsMax = 100;

/** The message is one line for the user. */
export class PathError extends Error {
  override readonly name: string = 'PathError';

  /** `at` counts from 0; the message counts from 1. */
  static at(text: string, at: number, reason: string): PathError {
    const shown = truncate(visible(text), shownColumnsMax);
    const why = truncate(visible(reason), reasonColumnsMax);
    return new PathError(`the path "${shown}" is invalid at character ${at + 1}: ${why}`);
  }
}
