/** `version`. Loads nothing else, because scripts call it to check whether the tool is installed. */
import { type Run, UsageError, versionOf } from '@ecsm/command-line';

export const run: Run = async ({ terminal, flag, origin }) => {
  const version = versionOf(new URL('../../../package.json', import.meta.url));
  const format = origin('output') === undefined ? '' : flag('output');
  const nodeVersion = process.version;
  switch (format) {
    case '':
      return terminal.out.write(`ecsmctl ${version}\n`);
    // The shape of kubectl: scripts read clientVersion.gitVersion.
    case 'json':
      return terminal.out.write(
        `${JSON.stringify({ clientVersion: { gitVersion: `v${version}`, nodeVersion } }, undefined, 2)}\n`,
      );
    case 'yaml':
      return terminal.out.write(`clientVersion:\n  gitVersion: v${version}\n  nodeVersion: ${nodeVersion}\n`);
    default:
      throw new UsageError(`--output: there is no format "${format}". Use -o yaml or json`);
  }
};
