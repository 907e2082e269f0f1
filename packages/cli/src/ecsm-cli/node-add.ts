/** `node add`: adds a machine to the platform. */
import { type Call, Failure, UsageError } from '@ecsm/command-line';
import { callPlatform } from './change.ts';
import { withPlatform } from './platform.ts';
import { nodeAddressOf } from './values.ts';

export async function run(call: Call): Promise<void> {
  const [name = ''] = call.words;
  const addressText = call.flag('address');
  if (addressText === undefined) throw new UsageError("--address HOST:PORT of the node's agent is required");
  const address = nodeAddressOf(addressText, '--address');
  const password = call.flag('password');
  if (password === undefined) {
    throw new UsageError("the node's password is required: set ECSMCLI_NODE_PASSWORD or --password TEXT");
  }
  const tls = call.flag('tls') !== undefined;
  await withPlatform(call, async (platform) => {
    const all = platform.ecsm.nodes();
    await callPlatform(call, platform, `add node/${name}`, async ({ signal }) => {
      if (await all.isNameTaken(name, { signal })) throw new Failure(`node "${name}" already exists`);
      if (await all.isAddressTaken(address, { signal, tls })) {
        throw new Failure(`a node with the address ${address} already exists: "ecsm-cli get nodes -o wide" shows it`);
      }
      await all.create({ name, address, password, tls }, { signal });
    });
    call.terminal.out.write(`node/${name} added\n`);
  });
}
