/**
 * Limits the connections of an HTTP server without letting idle ones block it: at the limit, a new connection replaces
 * the one that has been idle for longest. If all of them have a request in flight, the new one is closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Socket = IncomingMessage['socket'];

export function limitConnections(server: Server, connectionsMax: number): void {
  const open = new Set<Socket>();
  /** Connections without a complete request, in the order in which they became idle. */
  const idle = new Set<Socket>();
  const forget = (socket: Socket) => {
    open.delete(socket);
    idle.delete(socket);
  };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= connectionsMax) return;
    const [longest = socket] = idle;
    forget(longest);
    longest.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
}
