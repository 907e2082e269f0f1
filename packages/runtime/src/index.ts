/** The public face of the runtime. Stores and their libraries are loaded only when a registry of theirs is opened. */
export * from './api/errors.ts';
export type * from './store/contract.ts';
