/** `ecsmctl kubeconfig`: a new token in a file that kubectl can use. */
import { kubeconfigFor, RegistryTokens, revokeToken } from '@ecsm/apiserver';
import { type Call, Failure, type Run, UsageError, visible } from '@ecsm/command-line';
import { ecsmHome } from '@ecsm/runtime';
import { flagIfSet, isOn } from '../shared/targets.ts';
import { withAccessWriter } from './access-session.ts';
import { newTokenOf, tokenInputOf, tokenText } from './new-token.ts';

export const run: Run = async (call) => {
  const { terminal } = call;
  const input = tokenInputOf(call);
  const server = serverOf(call);
  const file = flagIfSet(call, 'out');
  if (file === undefined && isOn(call, 'force')) throw new UsageError('--force requires --out FILE');
  const caPem = await readAuthority(call);
  await refuseToOverwrite(call, file);
  const created = await withAccessWriter(
    call,
    async (session) => {
      const token = await newTokenOf(call, session, input);
      try {
        const { namespace, namespaceFrom } = session;
        const inside = namespaceFrom === undefined ? {} : { namespace };
        const text = kubeconfigFor({ server, caPem, user: input.user, token: token.token, ...inside });
        if (file === undefined) terminal.out.write(text);
        else {
          const options = { exclusive: !isOn(call, 'force'), secret: true };
          await terminal.files.write(file, new TextEncoder().encode(text), options);
        }
      } catch (error) {
        // The token was not handed out.
        await revokeToken(new RegistryTokens(session.registry), terminal.clock, token.record.id);
        throw error;
      }
      return token;
    },
    true,
  );
  if (file === undefined) terminal.err.write(`${tokenText(created)}\n`);
  else terminal.out.write(`${visible(file)} written: ${tokenText(created)}\n`);
  await terminal.out.drained();
};

function serverOf(call: Call): string {
  const text = call.flag('server') ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && !/[@?#]/.test(text)) return text.replace(/\/+$/, '');
  // The message does not repeat what may hold a password.
  const found = text.includes('@') ? 'without a user or password' : `not "${text}"`;
  throw new UsageError(`--server has to be a URL such as https://127.0.0.1:6443, ${found}`);
}

async function readAuthority(call: Call): Promise<string> {
  const { env, files } = call.terminal;
  const given = flagIfSet(call, 'certificate-authority');
  const path = given ?? `${ecsmHome({ HOME: files.home, ECSM_HOME: env['ECSM_HOME'] })}/pki/ca.crt`;
  const bytes = await files.read(path);
  if (bytes === undefined) {
    const remedy = '"ecsm-operator --serve" or "ecsm-apiserver" creates one; or specify --certificate-authority FILE';
    throw new Failure(given === undefined ? `there is no CA at ${path} yet: ${remedy}` : `there is no file "${path}"`);
  }
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Failure(`${path} is not a certificate in PEM`);
  if (text.includes('PRIVATE KEY')) throw new Failure(`${path} contains a private key: specify a certificate only`);
  return text;
}

/** Before the token is created. */
async function refuseToOverwrite(call: Call, file: string | undefined): Promise<void> {
  if (file === undefined || isOn(call, 'force')) return;
  if ((await call.terminal.files.read(file)) === undefined) return;
  throw new Failure(`${file} already exists and is not overwritten: use --force to replace it`);
}
