import type { Event } from '@rxlet/kube-api';
import { expect, it } from 'vitest';
import { events } from '../resources/events.ts';
import { cellTexts } from '../resources/resource-kind.ts';
import { lastSeen } from './last-seen.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 0, 10);
const event: Event = {
  metadata: { namespace: 'default', name: 'web.1' },
  involvedObject: { kind: 'Pod', name: 'web' },
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting failed container',
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:09:55Z',
};

it('shows what happened to what, and when', () => {
  expect(cellTexts(events, event, NOW_MS)).toEqual([
    'default',
    '5s',
    'Warning',
    'BackOff',
    'pod/web',
    'Back-off restarting failed container',
  ]);
});

it('reports how often it happened, and since when', () => {
  expect(lastSeen({ ...event, count: 3 }, NOW_MS)).toBe('5s (x3 over 10m)');
  expect(lastSeen({ ...event, count: 1 }, NOW_MS)).toBe('5s');
  expect(lastSeen({ metadata: {}, involvedObject: {} }, NOW_MS)).toBe('<unknown>');
});
