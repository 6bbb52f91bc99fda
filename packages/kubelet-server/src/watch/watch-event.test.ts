import { expect, it } from 'vitest';
import { mergeWatchEvents, type WatchEvent } from './watch-event.ts';

type Type = WatchEvent['type'];

it.each<[earlier: Type, later: Type, merged: Type | undefined]>([
  ['ADDED', 'ADDED', 'ADDED'],
  ['ADDED', 'MODIFIED', 'ADDED'],
  ['ADDED', 'DELETED', undefined],
  ['MODIFIED', 'MODIFIED', 'MODIFIED'],
  ['MODIFIED', 'DELETED', 'DELETED'],
  // A static pod that was removed and added again with the same UID. A client that saw neither event sees a modification.
  ['DELETED', 'ADDED', 'MODIFIED'],
])('%s and then %s is reported as %s, with the later content', (earlier, later, merged) => {
  expect(mergeWatchEvents({ type: earlier, object: 1 }, { type: later, object: 2 })).toEqual(
    merged === undefined ? undefined : { type: merged, object: 2 },
  );
});
