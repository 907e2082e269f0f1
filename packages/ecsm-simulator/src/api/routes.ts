/** All routes of the API, in the order of the reference. */
import { configurationRoutes } from './configuration.ts';
import { containerRoutes } from './containers.ts';
import { imageRoutes } from './images.ts';
import { microServiceRoutes } from './micro-services.ts';
import { nodeRoutes } from './nodes.ts';
import { overviewRoutes } from './overview.ts';
import { recordRoutes } from './records.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import { serviceBatchRoutes } from './service-batches.ts';
import { serviceRoutes } from './services.ts';
import { templateUpdateRoutes } from './template-updates.ts';
import { templateRoutes } from './templates.ts';
import { transactionRoutes } from './transactions.ts';
import { uploadRoutes } from './upload.ts';

export const routes: readonly Route[] = [
  ...serviceRoutes,
  ...serviceBatchRoutes,
  ...recordRoutes,
  ...containerRoutes,
  ...transactionRoutes,
  ...nodeRoutes,
  ...imageRoutes,
  ...uploadRoutes,
  ...templateRoutes,
  ...templateUpdateRoutes,
  ...configurationRoutes,
  ...microServiceRoutes,
  ...overviewRoutes,
];

export const router = new Router(routes);
