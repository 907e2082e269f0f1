/** Regular expressions in the syntax of Go (RE2), which Kubernetes uses. */
import { ApiError } from '@ecsm/runtime';

/** Go accepts no more in a repetition. */
const REPETITIONS_MAX = 1_000;

/** One element of the source that the two syntaxes write differently, or an escape, which is skipped. */
const element =
  /\\u\{([0-9A-Fa-f]+)\}|\\u([0-9A-Fa-f]{4})|\\(?:[^u])|\(\?(?:[=!]|<[=!])|\(\?<(\w+)>|\{(\d+),?(\d*)\}/gu;

/** Throws Internal if Go has no equivalent: look-around, back references, more than 1,000 repetitions. */
export function goPattern({ source }: RegExp): string {
  return source.replace(element, (text, braced?: string, code?: string, name?: string, from?: string, to?: string) => {
    const point = braced ?? code;
    if (point !== undefined) return `\\x{${point}}`;
    if (name !== undefined) return `(?P<${name}>`;
    if (from !== undefined) {
      if (Math.max(Number(from), Number(to)) > REPETITIONS_MAX) throw unsupported(source, text);
      return text;
    }
    if (text.startsWith('(?') || /^\\[1-9kc]/u.test(text)) throw unsupported(source, text);
    return text;
  });
}

function unsupported(source: string, text: string): ApiError {
  return new ApiError('Internal', { reason: `the pattern ${source} has no equivalent in Go: ${text}` });
}
