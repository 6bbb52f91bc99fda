import { ASSIGNMENT_FILES } from '../faults/host-faults.ts';
import type { HistoryEvent } from '../history/history.ts';
import type { Property } from './property.ts';

/** Reports whether a file is lost. */
export function isLost(event: HistoryEvent, path: string): boolean {
  return (event.kind === 'damaged' && event.how === 'lose' && event.path === path) || isDeleted(event, path);
}

function isDeleted(event: HistoryEvent, path: string): boolean {
  return event.kind === 'deleted' && event.path === path;
}

/** The agent does not start with a torn record of what belongs to running containers, and asks for the deletion of damaged records alone. */
export const damagedAssignmentsStopAgent: Property = {
  name: 'damaged-assignments-stop-agent',
  *check(history) {
    for (const path of ASSIGNMENT_FILES) {
      /** How the file is damaged. A flipped bit may be in the name of a field that may be missing. */
      let damage: 'torn' | 'flipped' | undefined;
      for (const event of history) {
        if (event.kind === 'damaged' && event.path === path) {
          if (event.how === 'tear') damage = 'torn';
          if (event.how === 'flip') damage ??= 'flipped';
        }
        if (isDeleted(event, path) && damage === undefined)
          yield { atMs: event.atMs, text: `the agent does not start with the intact file ${path}` };
        if (event.kind === 'agent' && event.change === 'started') {
          if (damage === 'torn') yield { atMs: event.atMs, text: `the agent starts with the torn file ${path}` };
          damage = undefined;
        }
        if (isLost(event, path)) damage = undefined;
      }
    }
  },
};
