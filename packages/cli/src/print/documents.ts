/**
 * Whole objects as JSON and YAML. Keys keep their order. Control characters are escaped as the format does it, so that
 * parsing returns the same value.
 */
import { escapeInQuotes, needsEscapes } from '@ecsm/command-line';

/** Ends with a newline. */
export function formatJson(value: unknown): string {
  return `${escapeInQuotes(JSON.stringify(value, null, 2) ?? 'null')}\n`;
}

/** Several values become documents separated by `---`. Ends with a newline. */
export async function formatYaml(...values: readonly unknown[]): Promise<string> {
  // Loaded on demand, because it is large.
  const yaml = await import('yaml');
  return values
    .map((value) => {
      // Repeated objects are printed twice, because anchors are hard to read.
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

interface List {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly items: readonly unknown[];
}

/** Several objects as one `List`, as kubectl prints them; `apply -f` accepts it. */
export function listOf(items: readonly unknown[]): List {
  return { apiVersion: 'v1', kind: 'List', items };
}
