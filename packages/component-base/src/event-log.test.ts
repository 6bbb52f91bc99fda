import { describe, expect, it } from 'vitest';
import { createEventLog, noopEventRecorder, type RecordedEvent } from './event-log.ts';
import type { EventObject } from './event-types.ts';
import { createVirtualClock } from './virtual-clock.ts';

const web: EventObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };

describe('createEventLog', () => {
  it('records events with their times', async () => {
    const clock = createVirtualClock({ startMs: 1000 });
    const log = createEventLog(clock);
    log.event(web, 'Normal', 'Pulled', 'image present');
    await clock.advance(50);
    log.event(web, 'Warning', 'BackOff', 'restarting');
    expect(log.list()).toEqual([
      {
        object: web,
        type: 'Normal',
        reason: 'Pulled',
        message: 'image present',
        count: 1,
        firstMs: 1000,
        lastMs: 1000,
      },
      { object: web, type: 'Warning', reason: 'BackOff', message: 'restarting', count: 1, firstMs: 1050, lastMs: 1050 },
    ]);
  });

  it('keeps the beginning of a very long message', () => {
    const log = createEventLog(createVirtualClock());
    log.event(web, 'Warning', 'Unhealthy', 'x'.repeat(16 * 1024));
    log.event(web, 'Warning', 'Unhealthy', 'y'.repeat(1_000_000));
    expect(log.list().map(({ message }) => message)).toEqual(['x'.repeat(16 * 1024), `${'y'.repeat(16 * 1024)}…`]);
  });

  it('counts equal events, and lists the latest one last', async () => {
    const clock = createVirtualClock({ startMs: 1000 });
    const log = createEventLog(clock);
    log.event(web, 'Warning', 'BackOff', 'restarting');
    log.event(web, 'Normal', 'Started', 'started');
    await clock.advance(10);
    log.event({ ...web }, 'Warning', 'BackOff', 'restarting');
    expect(log.list().map(({ reason, count, firstMs, lastMs }) => [reason, count, firstMs, lastMs])).toEqual([
      ['Started', 1, 1000, 1000],
      ['BackOff', 2, 1000, 1010],
    ]);
  });

  it.each<[string, Parameters<ReturnType<typeof createEventLog>['event']>]>([
    ['object', [{ ...web, uid: 'u2' }, 'Normal', 'Started', 'started']],
    ['part of the object', [{ ...web, fieldPath: 'spec.containers{a}' }, 'Normal', 'Started', 'started']],
    ['type', [web, 'Warning', 'Started', 'started']],
    ['reason', [web, 'Normal', 'Created', 'started']],
    ['message', [web, 'Normal', 'Started', 'started again']],
  ])('counts events with another %s separately', (_, other) => {
    const log = createEventLog(createVirtualClock());
    log.event(web, 'Normal', 'Started', 'started');
    log.event(...other);
    expect(log.list().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('keeps only the latest events', () => {
    const log = createEventLog(createVirtualClock(), 2);
    log.event(web, 'Normal', 'One', '');
    log.event(web, 'Normal', 'Two', '');
    log.event(web, 'Normal', 'One', '');
    log.event(web, 'Normal', 'Three', '');
    expect(log.list().map(({ reason, count }) => [reason, count])).toEqual([
      ['One', 2],
      ['Three', 1],
    ]);
  });

  it('combines similar events, and lists them with their latest message', () => {
    const log = createEventLog(createVirtualClock());
    for (let index = 1; index <= 11; index++) log.event(web, 'Warning', 'Unhealthy', `failed: ${String(index)}`);
    expect(log.list()).toHaveLength(10);
    expect(log.list().at(-1)).toMatchObject({
      message: '(combined from similar events): failed: 11',
      combined: true,
      count: 2,
    });
  });

  it('neither lists nor streams events above the limit of an object', () => {
    const log = createEventLog(createVirtualClock());
    let seen = 0;
    log.events$.subscribe(() => (seen += 1));
    for (let index = 0; index < 40; index++) log.event(web, 'Warning', 'BackOff', 'restarting');
    expect([seen, log.list()[0]?.count]).toEqual([25, 25]);
  });

  it('distinguishes updates of kept events from new ones, even when the first occurrences were not kept', async () => {
    const clock = createVirtualClock();
    const log = createEventLog(clock, 1);
    const seen: string[] = [];
    log.events$.subscribe(({ reason, count, update = false }) =>
      seen.push(`${reason} ${String(count)} ${String(update)}`),
    );
    for (let index = 0; index < 24; index++) log.event(web, 'Normal', 'Kept', '');
    seen.length = 0;
    log.event(web, 'Normal', 'Kept', '');
    log.event(web, 'Normal', 'Dropped', '');
    await clock.advance(600_000);
    log.event(web, 'Normal', 'Dropped', '');
    log.event(web, 'Normal', 'Kept', '');
    expect(seen).toEqual(['Kept 25 true', 'Dropped 2 false', 'Kept 26 false']);
  });

  it('emits each occurrence to its subscribers, until it is closed', () => {
    const log = createEventLog(createVirtualClock());
    const seen: RecordedEvent[] = [];
    let completed = false;
    log.event(web, 'Normal', 'Before', '');
    log.events$.subscribe({ next: (event) => seen.push(event), complete: () => (completed = true) });
    log.event(web, 'Normal', 'Started', '');
    log.event(web, 'Normal', 'Started', '');
    log.close();
    log.event(web, 'Normal', 'After', '');
    expect(seen.map(({ reason, count }) => [reason, count])).toEqual([
      ['Started', 1],
      ['Started', 2],
    ]);
    expect(completed).toBe(true);
    expect(log.list().map(({ reason }) => reason)).toEqual(['Before', 'Started']);
  });

  it('does not expose the writing side of its stream', () => {
    expect(createEventLog(createVirtualClock()).events$).not.toHaveProperty('next');
  });
});

describe('noopEventRecorder', () => {
  it('accepts an event', () => {
    expect(() => noopEventRecorder.event(web, 'Normal', 'Started', 'started')).not.toThrow();
  });
});
