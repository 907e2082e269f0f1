/** `node add`: makes a machine known to the platform. */
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { during } from './change.ts';
import { withPlatform } from './platform.ts';
import { nodeAddressOf } from './values.ts';

export async function run(call: Call): Promise<void> {
  const [name = ''] = call.words;
  const addressText = call.flag('address');
  if (addressText === undefined) throw new UsageError("where is it? Write --address HOST:PORT of the node's agent");
  const address = nodeAddressOf(addressText, '--address');
  const password = call.flag('password');
  if (password === undefined) {
    throw new UsageError("the node's password is missing: put it into ECSMCLI_NODE_PASSWORD, or write --password TEXT");
  }
  const tls = call.flag('tls') !== undefined;
  await withPlatform(call, async (platform) => {
    const all = platform.ecsm.nodes();
    await during(call, platform, `add node/${name}`, async ({ signal }) => {
      if (await all.isNameTaken(name, { signal })) throw new Failure(`there is a node "${name}" already`);
      if (await all.isAddressTaken(address, { signal, tls })) {
        throw new Failure(`there is a node at ${address} already: "ecsm-cli get nodes -o wide" shows which`);
      }
      await all.create({ name, address, password, tls }, { signal });
    });
    call.terminal.out.write(`node/${name} added\n`);
  });
}
