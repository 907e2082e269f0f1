/** The texts that `edit` opens: an object in YAML with instructions in comments at the top. Pure. */
import { visible } from '@ecsm/command-line';

/** An error in an edited text. */
export interface EditProblem {
  /** The line in the object, from 1, without the comments at the top. */
  readonly line?: number;
  readonly text: string;
}

const rules: readonly string[] = [
  'Edit the object, save, and exit the editor. These comments are ignored; an empty file cancels the edit.',
];

/** The text that is opened first. */
export function firstText(body: string): string {
  return withComments(rules, body);
}

/** The same text with its errors. Line numbers include the comments at the top. */
export function invalidText(problems: readonly EditProblem[], body: string): string {
  const comments = (first: number) => [
    'The object is not valid:',
    ...problems.map(({ line, text }) => `  ${line === undefined ? '' : `line ${first + line - 1}: `}${text}`),
    '',
    ...rules,
  ];
  return withComments(comments(comments(1).length + 2), body);
}

/** The same text with a diff of the changes by others. */
export function conflictText(name: string, diff: readonly string[], body: string): string {
  return withComments(
    [
      `${name} was changed by others while you were editing. Below is your text, as you saved it.`,
      'The changes of others are listed here: merge them into your text, and save. To save your text as it is, delete',
      'these comments first. To cancel, exit without changes.',
      '',
      ...diff.map((line) => `  ${line}`),
      '',
      ...rules,
    ],
    body,
  );
}

function withComments(comments: readonly string[], body: string): string {
  return `${[...comments, ''].map((line) => `# ${visible(line)}`.trimEnd()).join('\n')}\n${body}`;
}

/** The text without the comments at the top; empty if there is nothing else. */
export function bodyOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const first = lines.findIndex((line) => !/^\s*(#.*)?$/.test(line));
  return first === -1 ? '' : `${lines.slice(first).join('\n').trimEnd()}\n`;
}
