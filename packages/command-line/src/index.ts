/**
 * The public face of the command line. Help and completion are not named here: `runProgram` loads them on
 * demand.
 */
export {
  type Call,
  type Command,
  type Completer,
  type Example,
  type Flag,
  filesMarker,
  type Program,
  type Run,
} from './command/command.ts';
export { completionCommand } from './command/completion-command.ts';
export { type ConfigOptions, readSettings, type Settings } from './command/config.ts';
export { Failure, Interrupted, UsageError } from './command/errors.ts';
export { logFlags } from './command/log-flags.ts';
export { didYouMean, nearest, oneOf } from './command/nearest.ts';
export { parse } from './command/parse.ts';
export { runProgram } from './command/run.ts';
export type { Files, Machine, OutputStream, Terminal } from './command/terminal.ts';
export { verboseFlag } from './command/usage.ts';
export { addressOf, httpHeadersOf, httpUrlOf, secondsOf, wholeNumberOf } from './command/values.ts';
export { nodeFiles } from './terminal/files.ts';
export { Live } from './terminal/live.ts';
export { main } from './terminal/process.ts';
export { duration, type Progress, withProgress } from './terminal/progress.ts';
export { versionOf } from './terminal/version.ts';
export { plural, wrap } from './text/text.ts';
export { escapeInQuotes, needsEscapes, visible, visibleLines } from './text/visible.ts';
export { displayWidth, padEnd, truncate } from './text/width.ts';
