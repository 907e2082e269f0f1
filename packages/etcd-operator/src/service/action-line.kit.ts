/** Actions as short lines, such as `addLearner 2`, for tests that compare what was done. */
import type { Action } from './model.ts';

export function lineOf(action: Action): string {
  switch (action.do) {
    case 'createSet':
    case 'setRange':
      return `${action.do} ${action.start}+${action.replicas}`;
    case 'addLearner':
    case 'promote':
    case 'removeMember':
    case 'moveLeader':
    case 'deletePod':
    case 'deleteVolume':
    case 'enlargeVolume':
    case 'compact':
    case 'defragment':
      return `${action.do} ${action.slot}`;
    default:
      return action.do;
  }
}
