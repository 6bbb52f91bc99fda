import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { reportSlowChange } from './report-slow-change.ts';

it('reports a slow change of ownership after 30 s and then every minute', async () => {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const seen: string[] = [];
  events.events$.subscribe(({ reason, message }) => seen.push(`${reason}: ${message.split(' - ')[0]!}`));
  const progress = { visited: 0 };
  const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u1' } };
  const reports = reportSlowChange({ clock, events }, pod, '/root/pods/u1/volumes/x/data', progress);
  await clock.advance(29_999);
  expect(seen).toEqual([]);
  progress.visited = 7;
  await clock.advance(121_000);
  reports[Symbol.dispose]();
  await clock.advance(600_000);
  const about = 'VolumePermissionChangeInProgress: Setting volume ownership for u1/volumes/x/data';
  expect(seen).toEqual([
    `${about} is taking longer than expected, consider using OnRootMismatch`,
    `${about}, processed 7 files.`,
    `${about}, processed 7 files.`,
  ]);
  expect(clock.pendingTimers).toBe(0);
});
