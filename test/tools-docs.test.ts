/**
 * Goal and method as in docs.test.ts, for the documents of the tools. The reference of each is generated from the data of
 * the program; `GOLDEN=write` updates the page.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ecsmCli } from '../packages/cli/src/ecsm-cli/program.ts';
import { ecsmctl } from '../packages/cli/src/ecsmctl/program.ts';
import type { Command, Program } from '../packages/command-line/src/command/command.ts';
import { expectGolden } from '../packages/command-line/src/command/golden.kit.ts';
import { findCommand, flagsOf } from '../packages/command-line/src/command/usage.ts';
import { readDocument, root, shownIn } from './documents.kit.ts';
import { leavesOf, referenceOf } from './reference.kit.ts';

const programs: readonly Program[] = [ecsmctl, ecsmCli];
const pageOf = ({ name }: Program) => `docs/${name}.md`;
const heading = '\n## Reference\n';

describe.each(programs.map((program) => ({ path: pageOf(program), program })))('$path', ({ path, program }) => {
  const page = readDocument(path);
  const [tour = '', ...rest] = page.split(heading);
  const reference = rest.join(heading);

  it('lists exactly the commands with their flags and exit codes', () => {
    const introduction = reference.split('\n### ')[0] ?? '';
    const wanted = `${introduction.trimEnd()}\n\n${referenceOf(program)}\n`;
    expectGolden(pathToFileURL(join(root, path)), `${tour}${heading}${wanted}`);
  });

  it('links to every group of commands at its top', () => {
    const anchors = [...tour.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
    const groups = [...reference.matchAll(/^### (.*)$/gm)].map(([, group = '']) => anchorOf(group));
    expect(groups.filter((group) => !anchors.includes(group))).toEqual([]);
  });

  it('has an example of every command', () => {
    const lines = shownIn(page).map(({ text }) => text);
    const leaves = leavesOf(program.commands).map((path) => [program, ...path].map(({ name }) => name).join(' '));
    expect(leaves.filter((leaf) => !lines.some((line) => line.includes(leaf)))).toEqual([]);
  });
});

function anchorOf(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-');
}

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
];

describe.each(documents)('%s', (path) => {
  it('names only existing commands and flags of the tools', () => {
    const named = programs.flatMap((program) => {
      const line = new RegExp(`(?:\`|\\$ |\\$\\()${program.name} ([^\`\\n|$)]+)`, 'gm');
      return [...readDocument(path).matchAll(line)].flatMap(([, words = '']) => unknownIn(program, words));
    });
    expect(named).toEqual([]);
  });
});

/** Commands and flags of a line that the program does not have. */
function unknownIn(program: Program, line: string): readonly string[] {
  const words = line.split(' ').filter((word) => word !== '');
  const commands: Command[] = [];
  for (const word of words) {
    const among = commands.length === 0 ? program.commands : commands.at(-1)?.commands;
    const command = word.startsWith('-') || !among ? undefined : findCommand(among, word);
    if (command) commands.push(command);
    else if (among && /^[a-z-]+$/.test(word) && !word.startsWith('-') && word !== 'help') return [word];
  }
  const known = flagsOf(program, commands);
  const flags = words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
  return flags.filter((name) => !known.some((flag) => flag.name === name)).map((name) => `--${name} in ${line}`);
}
