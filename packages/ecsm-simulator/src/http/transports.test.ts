/** Both ways to the platform pass the same suite. */
import { httpTransport } from '@ecsm/client';
import { inProcessTransport } from '../link/transport.ts';
import { serve } from './server.ts';
import { transportSuite } from './transports.suite.ts';

transportSuite('a function call', async (context) => ({
  transport: inProcessTransport(context),
  close: async () => {},
}));

transportSuite('a socket', async (context) => {
  const server = await serve(context);
  const transport = httpTransport({ url: server.url });
  return {
    transport,
    async close() {
      transport.close();
      await server.close();
    },
  };
});
