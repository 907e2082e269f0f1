/** The HTML error page of a proxy whose platform does not respond. */
import { Buffer } from 'node:buffer';
import type { Response } from '../api/exchange.ts';

const titles: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
};

export function errorPage(status: number): Response {
  const title = `${status} ${titles[status] ?? 'Error'}`;
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from(page) };
}
