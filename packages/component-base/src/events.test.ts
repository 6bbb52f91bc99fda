import { describe, expect, it } from 'vitest';
import { createEventLog, type EventObject, noopEventRecorder, type RecordedEvent } from './events.ts';
import { createVirtualClock } from './virtual-clock.ts';

const web: EventObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };

describe('createEventLog', () => {
  it('keeps what happened, and when', async () => {
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

  it('counts equal events, and lists the one last that occurred last', async () => {
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
  ])('counts apart what differs in its %s', (_, other) => {
    const log = createEventLog(createVirtualClock());
    log.event(web, 'Normal', 'Started', 'started');
    log.event(...other);
    expect(log.list().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('keeps the latest only', () => {
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

  it('streams each occurrence to whoever listens, until it is closed', () => {
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

  it('does not hand out the means to end its stream', () => {
    expect(createEventLog(createVirtualClock()).events$).not.toHaveProperty('next');
  });
});

describe('noopEventRecorder', () => {
  it('takes an event', () => {
    expect(() => noopEventRecorder.event(web, 'Normal', 'Started', 'started')).not.toThrow();
  });
});
