/** What can happen by itself when time passes; events.ts says what each does. */
export const happenings = [
  'pulled',
  'started',
  'gaveUp',
  'rolled',
  'up',
  'down',
  'recycled',
  'revived',
  'crashed',
  'condemned',
  'removed',
  'deleted',
  'prepulled',
  'nodeLost',
  'syncRuns',
  'synchronised',
  'transactionDone',
] as const;

export type Happening = (typeof happenings)[number];
