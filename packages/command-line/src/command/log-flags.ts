/** The flags of programs that log for as long as they run. */
import type { Flag } from './command.ts';

/** `variables`: how the names of their environment variables begin. */
export function logFlags(variables: string): readonly Flag[] {
  return [
    {
      name: 'log-level',
      value: 'LEVEL',
      variable: `${variables}_LOG_LEVEL`,
      key: 'logLevel',
      choices: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      help: 'lowest level that is logged',
    },
    {
      name: 'log-format',
      value: 'FORMAT',
      variable: `${variables}_LOG_FORMAT`,
      key: 'logFormat',
      choices: ['readable', 'json'],
      default: 'readable',
      help: 'format of the log',
    },
  ];
}
