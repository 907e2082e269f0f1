/** Generates the reference of a program as Markdown from the data of its help. */
import type { Command, Flag, Program } from '../packages/command-line/src/command/command.ts';
import { helpText } from '../packages/command-line/src/command/help.ts';
import { flagUsageOf, programFlagsOf, shownCommands, usageOf } from '../packages/command-line/src/command/usage.ts';

type Path = readonly [Command, ...Command[]];

/** Every executable command, with its parent commands. */
export function leavesOf(commands: readonly Command[], above?: Path): readonly Path[] {
  return shownCommands(commands).flatMap((command): readonly Path[] => {
    const path: Path = above ? [...above, command] : [command];
    return command.commands ? leavesOf(command.commands, path) : [path];
  });
}

/** Flags of every command, exit codes, and then the commands by their groups. */
export function referenceOf(program: Program): string {
  const leaves = leavesOf(program.commands);
  const groupOf = ([first]: Path) => first.group ?? 'Other';
  const groups = [...new Set(leaves.map(groupOf))];
  return [
    '### Flags of every command',
    globalTable(programFlagsOf(program)),
    '### Exit codes',
    table(['code', 'meaning'], exitCodesOf(program)),
    'Commands with other exit codes list them below.',
    ...groups.flatMap((group) => [
      `### ${group}`,
      ...leaves.filter((path) => groupOf(path) === group).flatMap((path) => sectionOf(program, path)),
    ]),
  ].join('\n\n');
}

function sectionOf(program: Program, path: Path): readonly string[] {
  const command = path.at(-1) ?? path[0];
  const { help, more, aliases = [], exitCodes = [] } = command;
  const flags = [...path].reverse().flatMap((one) => one.flags ?? []);
  const usage = `\`${usageOf(program, path)}${flags.length > 0 ? ' [FLAGS]' : ''}\``;
  const also = aliases.length === 0 ? '' : ` Also called ${listed(aliases)}.`;
  const about = [`${capitalised(help)}.`, ...(more === undefined ? [] : [more])].join(' ');
  return [
    `#### ${path.map(({ name }) => name).join(' ')}`,
    `${usage}${also}`,
    wrapped(escaped(about)),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...(exitCodes.length === 0
      ? []
      : [wrapped(`Exit codes: ${exitCodes.map(({ code, help: meaning }) => `${code} ${meaning}`).join('; ')}.`)]),
  ];
}

function globalTable(flags: readonly Flag[]): string {
  const rows = flags.map((flag) => [
    flagCell(flag),
    flag.variable === undefined ? '' : `\`${flag.variable}\``,
    flag.key === undefined ? '' : `\`${flag.key}\``,
    meaningOf(flag),
  ]);
  return table(['flag', 'variable', 'key', 'what it does'], rows);
}

function flagTable(flags: readonly Flag[]): string {
  const rows = flags.map((flag) => {
    const variable = flag.variable === undefined ? '' : ` Or \`${flag.variable}\`.`;
    return [flagCell(flag), `${meaningOf(flag)}${variable === '' ? '' : `.${variable}`}`];
  });
  return table(['flag', 'what it does'], rows);
}

function flagCell(flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  return `\`${short}${flagUsageOf(flag)}\``;
}

function meaningOf({ help, choices, repeats, value, secret, default: fallback }: Flag): string {
  return [
    escaped(help),
    ...(choices ? [`: ${choices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(repeats && value !== undefined ? ['; may be repeated'] : []),
    ...(fallback === undefined || secret ? [] : [`. Default \`${fallback}\``]),
  ].join('');
}

/** Parsed from the help, because they are not part of the data. */
function exitCodesOf(program: Program): readonly (readonly string[])[] {
  const [, codes = ''] = helpText(program, [], 100).split('\nExit codes:\n');
  return [...codes.matchAll(/^ {2}(\d+) +(.*)$/gm)].map(([, code = '', help = '']) => [code, help]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replace(/\| {2}(?=\|)/g, '| ');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Escapes texts such as `<hidden>`, which would be HTML, and stars, which would be emphasis. */
function escaped(text: string): string {
  return text.replace(/[<*](?=\S)/g, '\\$&');
}

function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const columnsMax = 120;

function wrapped(text: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= columnsMax) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
