/** The public face of the simulator: a simulated ECSM platform to develop and test against. */
export { type ApiOptions, createApi } from './api/api.ts';
export type { Answer, Handler, Request } from './api/exchange.ts';
export { controlRoutes } from './control/control.ts';
export { type Count, Journal, type JournalEntry } from './control/journal.ts';
export type { ListenAddress } from './http/address.ts';
export { type RunningServer, type ServeOptions, serve } from './http/server.ts';
export { Simulator, type SimulatorOptions } from './http/simulator.ts';
export type { ObservedCall, ObservedFate, Road } from './link/journey.ts';
export { type Fate, Link, type Passage } from './link/link.ts';
export { type CallMatch, healthyLink, type LinkSettings } from './link/settings.ts';
export { type InProcessTransport, inProcessTransport } from './link/transport.ts';
export { type Behaviour, type ProfileName, profiles } from './platform/behaviour.ts';
export type { Platform } from './platform/contract.ts';
export { seededFleet } from './platform/fleet.ts';
export type * from './platform/model.ts';
export { createPlatform, type PlatformOptions } from './platform/platform.ts';
export { Refusal, type RefusalName, refusals } from './platform/refusal.ts';
