/** What tests of programs share, in this package and in others: `@ecsm/command-line/testing`. */

export { expectGolden, goldenHead, goldenOutput, isWritingGolden } from '../command/golden.kit.ts';
export { helpText } from '../command/help.ts';
export {
  runInTestTerminal,
  type TestRun,
  type TestTerminal,
  type TestTerminalOptions,
  testTerminal,
} from '../command/test-terminal.kit.ts';
export { finished, type OnOutput, type Ran } from './finished.kit.ts';
export { Screen } from './screen.kit.ts';
