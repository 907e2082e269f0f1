/** The public API of the simulator: a simulated ECSM platform for development and tests. */
export { type ApiOptions, createApi } from './api/api.ts';
export type { Handler, Request, Response } from './api/exchange.ts';
export { controlRoutes } from './control/control.ts';
export { type Count, Journal, type JournalEntry } from './control/journal.ts';
export type { ListenAddress } from './http/address.ts';
export { type RunningServer, type ServeOptions, serve } from './http/server.ts';
export { Simulator, type SimulatorOptions } from './http/simulator.ts';
export { type CallPlan, type Fate, Link } from './link/link.ts';
export { type CallMatch, healthyLink, type LinkSettings } from './link/settings.ts';
export type { LinkContext, ObservedCall, ObservedFate } from './link/simulated-call.ts';
export { type InProcessTransport, inProcessTransport } from './link/transport.ts';
export { type Behaviour, type ProfileName, profiles } from './platform/behaviour.ts';
export type { Platform } from './platform/contract.ts';
export { seededFleet } from './platform/fleet.ts';
export type * from './platform/model.ts';
export { createPlatform, type PlatformOptions } from './platform/platform.ts';
export { Refusal, type RefusalName, refusals } from './platform/refusal.ts';
