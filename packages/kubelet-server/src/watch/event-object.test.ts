import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { toApiEvent } from './event-object.ts';

const web = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: '1' };

describe('toApiEvent', () => {
  it('makes a core/v1 Event', async () => {
    const clock = createVirtualClock();
    const log = createEventLog(clock);
    log.event({ ...web, fieldPath: 'spec.containers{main}' }, 'Warning', 'BackOff', 'Back-off');
    await clock.advance(90_500);
    log.event({ ...web, fieldPath: 'spec.containers{main}' }, 'Warning', 'BackOff', 'Back-off');
    expect(toApiEvent(log.list()[0]!, 'node1')).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        namespace: 'shop',
        name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) as unknown,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      involvedObject: { ...web, fieldPath: 'spec.containers{main}' },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off',
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:30Z',
      source: { component: 'kubelet', host: 'node1' },
      reportingComponent: 'kubelet',
      reportingInstance: 'node1',
    });
  });

  it('gives events of the same instant names of their own, and each the same name every time', async () => {
    const clock = createVirtualClock();
    const log = createEventLog(clock);
    for (const reason of ['Pulled', 'Created', 'Started']) log.event(web, 'Normal', reason, '');
    const names = (): (string | undefined)[] => log.list().map((event) => toApiEvent(event, 'node1').metadata.name);
    const first = names();
    expect(new Set(first).size).toBe(3);
    await clock.advance(1000);
    log.event(web, 'Normal', 'Pulled', '');
    expect(names().toSorted()).toEqual(first.toSorted());
  });

  it('gives an event that is combined from similar ones the same name every time', () => {
    const log = createEventLog(createVirtualClock());
    const names = new Set<string | undefined>();
    log.events$.subscribe((event) => names.add(toApiEvent(event, 'node1').metadata.name));
    for (let index = 0; index < 12; index += 1) log.event(web, 'Warning', 'Unhealthy', `failed ${String(index)}`);
    expect(names.size).toBe(10);
  });

  it('puts events about things without a namespace into default', () => {
    const log = createEventLog(createVirtualClock());
    log.event({ apiVersion: 'v1', kind: 'Node', name: 'node1' }, 'Normal', 'Starting', '');
    expect(toApiEvent(log.list()[0]!, 'node1').metadata.namespace).toBe('default');
  });
});
