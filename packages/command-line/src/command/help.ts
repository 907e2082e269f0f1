/** Help texts, generated from the data of commands. Examples come first, because most readers need only these. */
import { wrap } from '../text/text.ts';
import { displayWidth, padEnd } from '../text/width.ts';
import type { Command, Example, ExitCode, Flag, Program } from './command.ts';
import { flagMeaningOf, flagUsageOf, globalFlagsOf, shownCommands, usageOf } from './usage.ts';

/** The width without a terminal. */
const helpColumnsDefault = 80;
/** Limits for readable lines. */
const columnsMax = 100;
const columnsMin = 40;

const standardExitCodes: readonly ExitCode[] = [
  { code: 0, help: 'success, also if the reader closed the output pipe' },
  { code: 1, help: 'failure' },
  { code: 2, help: 'usage error' },
  { code: 130, help: 'interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP' },
];

/** The help of a command, or with an empty path that of the program. */
export function helpText(program: Program, path: readonly Command[], columns = helpColumnsDefault): string {
  const width = Math.min(columnsMax, Math.max(columnsMin, columns));
  const command = path.at(-1);
  const name = [program.name, ...path.map((one) => one.name)].join(' ');
  const parts = [
    wrap(`${name}: ${(command ?? program).help}`, width),
    examples((command ?? program).examples, width),
    section('Usage', [`  ${usageOf(program, path)} [FLAGS]`]),
    ...(command?.aliases ? [section('Also called', [`  ${command.aliases.join(', ')}`])] : []),
    ...(command?.more ? [wrap(command.more, width)] : []),
    ...commandLists(command ? (command.commands ?? []) : program.commands, width),
    ...flagList('Flags', command ? ownFlags(path) : [], width),
    ...flagList(command ? 'Flags of every command' : 'Flags', globalFlagsOf(program, path), width),
    ...exitCodes(command ? command.exitCodes : (program.exitCodes ?? standardExitCodes), width),
    ...(command && !command.commands
      ? []
      : [
          wrap(
            `Help for a command: ${[program.name, 'help', ...path.map((one) => one.name), 'COMMAND'].join(' ')}`,
            width,
          ),
        ]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines].join('\n');
}

function examples(all: readonly Example[], width: number): string {
  if (all.length === 0) return '';
  return section(
    'Examples',
    all.flatMap(({ help, line }) => [wrap(`# ${help}`, width, 2), ...shellLines(line, width)]),
  );
}

/** Wraps a long command line so that it is still valid in a shell. */
function shellLines(line: string, width: number): string[] {
  if (displayWidth(line) + 2 <= width) return [`  ${line}`];
  // Only before a flag: a blank anywhere else may be inside of quotes.
  const lines: string[] = [];
  for (const part of line.split(/ (?=--?[a-zA-Z])/)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${part}`) + 4 <= width) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? `  ${part}` : `    ${part}`);
  }
  return lines.map((one, index) => (index < lines.length - 1 ? `${one} \\` : one));
}

/** One list for each group, in the order in which the groups appear. */
function commandLists(commands: readonly Command[], width: number): string[] {
  const shown = shownCommands(commands);
  const groups = [...new Set(shown.map(({ group = 'Commands' }) => group))];
  const left = Math.max(0, ...shown.map(({ name }) => name.length));
  return groups.map((group) => {
    const those = shown.filter((one) => (one.group ?? 'Commands') === group);
    return section(
      group,
      those.map(({ name, help }) => row(name, help, left, width)),
    );
  });
}

function ownFlags(path: readonly Command[]): readonly Flag[] {
  return [...path].reverse().flatMap(({ flags }) => flags ?? []);
}

/** A wider column leaves too little space for the descriptions. */
const flagColumnsMax = 24;

function flagList(title: string, flags: readonly Flag[], width: number): string[] {
  if (flags.length === 0) return [];
  const heads = flags.map((flag) => `${flag.short === undefined ? '    ' : `-${flag.short}, `}${flagUsageOf(flag)}`);
  const left = Math.min(flagColumnsMax, Math.max(...heads.map(displayWidth)));
  return [
    section(
      title,
      flags.map((flag, index) => row(heads[index] ?? '', meaning(flag), left, width)),
    ),
  ];
}

function meaning(flag: Flag): string {
  const { variable, key } = flag;
  const also = [...(variable === undefined ? [] : [`$${variable}`]), ...(key === undefined ? [] : [`key ${key}`])];
  return `${flagMeaningOf(flag)}${also.length === 0 ? '' : ` (${also.join(', ')})`}`;
}

/** Two columns; a long head, or any head in a narrow terminal, gets its own line. */
function row(head: string, text: string, left: number, width: number): string {
  const isNarrow = left + 4 > width / 2;
  const indent = isNarrow ? 6 : left + 4;
  const body = wrap(text, width, indent);
  return isNarrow || displayWidth(head) > left
    ? `  ${head}\n${body}`
    : `  ${padEnd(head, left)}  ${body.slice(indent)}`;
}

function exitCodes(codes: readonly ExitCode[] | undefined, width: number): string[] {
  if (!codes) return [];
  return [
    section(
      'Exit codes',
      codes.map(({ code, help }) => row(String(code), help, 3, width)),
    ),
  ];
}
