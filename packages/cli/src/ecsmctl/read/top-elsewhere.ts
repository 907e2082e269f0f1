/** `top nodes` and `top pods`, as users of kubectl know them: usage is on the platform, not in the registry. */
import { type Run, UsageError } from '@ecsm/command-line';

export const run: Run = async () => {
  throw new UsageError(
    'the registry has no usage: "ecsm-cli top nodes" and "ecsm-cli top containers" show that of the platform, and "ecsmctl top capacity" what is declared',
  );
};
