/** The texts that `edit` opens: an object in YAML, with what people have to know on top as comments. Pure. */
import { visible } from '@ecsm/command-line';

/** Something that is wrong with a text. */
export interface EditProblem {
  /** Of the object, counted from 1, without what stands on top. */
  readonly line?: number;
  readonly text: string;
}

const rules: readonly string[] = [
  'Edit the object, save, and exit the editor. These comments are ignored; an empty file cancels the edit.',
  'Secrets are shown as <hidden>, and are not changed unless you replace that text.',
];

/** An object that is opened for the first time. */
export function firstText(body: string): string {
  return withWords(rules, body);
}

/** The same text again, with what is wrong with it. Lines are told as the editor will count them. */
export function wrongText(problems: readonly EditProblem[], body: string): string {
  const words = (first: number) => [
    'The object is not valid:',
    ...problems.map(({ line, text }) => `  ${line === undefined ? '' : `line ${first + line - 1}: `}${text}`),
    '',
    ...rules,
  ];
  return withWords(words(words(1).length + 2), body);
}

/** The same text again, with what somebody else has changed meanwhile, as a diff. */
export function conflictText(name: string, diff: readonly string[], body: string): string {
  return withWords(
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

function withWords(words: readonly string[], body: string): string {
  return `${[...words, ''].map((line) => `# ${visible(line)}`.trimEnd()).join('\n')}\n${body}`;
}

/** What people have written, without the comments on top; empty if there is nothing else. */
export function bodyOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const first = lines.findIndex((line) => !/^\s*(#.*)?$/.test(line));
  return first === -1 ? '' : `${lines.slice(first).join('\n').trimEnd()}\n`;
}
