import { expect, it } from 'vitest';
import { mergeWatchEvents, type WatchEvent } from './watch-event.ts';

type Type = WatchEvent['type'];

it.each<[earlier: Type, later: Type, merged: Type | undefined]>([
  ['ADDED', 'ADDED', 'ADDED'],
  ['ADDED', 'MODIFIED', 'ADDED'],
  ['ADDED', 'DELETED', undefined],
  ['MODIFIED', 'MODIFIED', 'MODIFIED'],
  ['MODIFIED', 'DELETED', 'DELETED'],
  // It was there, was gone and is there again, as a static pod that keeps its UID: for who saw neither, it changed.
  ['DELETED', 'ADDED', 'MODIFIED'],
])('%s and then %s is told as %s, with the later content', (earlier, later, merged) => {
  expect(mergeWatchEvents({ type: earlier, object: 1 }, { type: later, object: 2 })).toEqual(
    merged === undefined ? undefined : { type: merged, object: 2 },
  );
});
