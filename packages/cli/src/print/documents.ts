/**
 * Whole objects, for other programs and for files. Keys stay in the order in which they are. What could steer a terminal
 * is escaped as the format does it, so who reads it gets the same value.
 */
import { escapeInQuotes, needsEscapes } from '@ecsm/command-line';

/** Ends with a line end. */
export function formatJson(value: unknown): string {
  return `${escapeInQuotes(JSON.stringify(value, null, 2) ?? 'null')}\n`;
}

/** Several become documents with `---` between them. Ends with a line end. */
export async function formatYaml(...values: readonly unknown[]): Promise<string> {
  // It is large; only who prints YAML pays for it.
  const yaml = await import('yaml');
  return values
    .map((value) => {
      // Two places with one object are two copies: an anchor is a riddle for most who read it.
      const document = new yaml.Document(value ?? null, { aliasDuplicateObjects: false });
      const text = document.toString({ lineWidth: 0 });
      if (!needsEscapes(text)) return text;
      yaml.visit(document, {
        Scalar(_, scalar) {
          if (typeof scalar.value === 'string' && needsEscapes(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
        },
      });
      return escapeInQuotes(document.toString({ lineWidth: 0 }));
    })
    .join('---\n');
}

export interface List {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly items: readonly unknown[];
}

/** Several objects as one, as kubectl does it; `apply -f` reads it again. */
export function listOf(items: readonly unknown[]): List {
  return { apiVersion: 'v1', kind: 'List', items };
}
