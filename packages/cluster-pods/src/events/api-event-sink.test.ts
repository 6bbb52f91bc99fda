import { KubeError } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { follow } from '@rxlet/component-base/streams';
import type { Event } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createApiEventSink } from './api-event-sink.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'web', uid: 'u' } as const;

function setUp() {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const logger = recordingLogger();
  const kube = createMemoryKube();
  const log = createEventLog(clock);
  const reporter = { component: 'kubelet', nodeName: 'node1' };
  const sink = createApiEventSink({ client: kube.events, clock, random: seededRandom(1), logger }, reporter);
  follow(log.events$, { task: 'test', logger, next: sink.write });
  const record = (message: string, reason = 'Started'): void => log.event(pod, 'Normal', reason, message);
  const verbs = () => kube.requests.map(({ verb }) => verb);
  return { clock, logger, kube, log, sink, record, verbs };
}

describe('createApiEventSink', () => {
  it('creates an event in the namespace of its object, and patches it when it repeats', async () => {
    const { clock, kube, sink, record, verbs } = setUp();
    await using _ = sink;
    record('Container started');
    await clock.advance(1_000);
    record('Container started');
    record('another');
    await clock.advance(1_000);
    expect(verbs()).toEqual(['create', 'patch', 'create']);
    const { name = '' } = kube.requests[0]!;
    expect(name).toMatch(/^web\.[\da-f]{16}$/);
    expect(kube.peek(resources.events, { name, namespace: 'ns' })).toMatchObject({
      involvedObject: pod,
      type: 'Normal',
      reason: 'Started',
      message: 'Container started',
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:01Z',
      source: { component: 'kubelet', host: 'node1' },
      reportingComponent: 'kubelet',
      reportingInstance: 'node1',
    });
    expect(new Set(kube.requests.map((request) => request.name)).size).toBe(2);
  });

  it('puts events about the node into the namespace default', async () => {
    const { clock, kube, log, sink } = setUp();
    await using _ = sink;
    log.event({ apiVersion: 'v1', kind: 'Node', name: 'node1' }, 'Normal', 'NodeReady', 'm');
    await clock.settle();
    const event = kube.requests[0]?.body as Event;
    expect(event.metadata?.namespace).toBe('default');
    expect(event.involvedObject).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'node1' });
  });

  it('keeps the order over an outage, and sends everything when it ends', async () => {
    const { clock, kube, sink, record } = setUp();
    await using _ = sink;
    kube.onRequest = () => {
      throw new KubeError('Unreachable', 'connection refused');
    };
    ['a', 'b', 'c'].forEach((message) => record(message));
    await clock.advance(60_000);
    expect(sink.backlog).toBe(3);
    kube.onRequest = undefined;
    const { length } = kube.requests;
    await clock.advance(10_000);
    expect(kube.requests.slice(length).map(({ body }) => (body as Event).message)).toEqual(['a', 'b', 'c']);
    expect(sink.backlog).toBe(0);
  });

  it('drops an event that the API server rejects, and one that fails for two minutes', async () => {
    const { clock, kube, sink, record, logger } = setUp();
    await using _ = sink;
    kube.onRequest = ({ body }) => {
      if ((body as Event).message === 'a') throw new KubeError('Forbidden', 'no', { code: 403 });
      if ((body as Event).message === 'b') throw new KubeError('Unreachable', 'connection refused');
    };
    ['a', 'b', 'c'].forEach((message) => record(message));
    await clock.advance(130_000);
    expect(kube.requests.filter(({ body }) => (body as Event).message === 'a')).toHaveLength(1);
    expect(kube.requests.filter(({ body }) => (body as Event).message === 'b')).toHaveLength(12);
    expect((kube.requests.at(-1)?.body as Event).message).toBe('c');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  it('creates an event again that the API server has forgotten', async () => {
    const { clock, kube, sink, record, verbs } = setUp();
    await using _ = sink;
    record('m');
    await clock.settle();
    kube.remove(resources.events, { name: kube.requests[0]!.name!, namespace: 'ns' });
    record('m');
    await clock.settle();
    expect(verbs()).toEqual(['create', 'patch', 'create']);
    expect((kube.requests.at(-1)?.body as Event).count).toBe(2);
  });

  it('creates an event once whose answer was lost, and patches it when it repeats', async () => {
    const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
    const [logger, kube, log] = [recordingLogger(), createMemoryKube(), createEventLog(clock)];
    let lost = 2;
    const create: typeof kube.events.create = async (...parameters) => {
      const answer = kube.events.create(...parameters);
      if (lost === 0) return answer;
      lost -= 1;
      await answer.catch(() => undefined);
      throw new KubeError('Unreachable', 'the connection broke');
    };
    const ports = { client: { create, patch: kube.events.patch }, clock, random: seededRandom(1), logger };
    await using sink = createApiEventSink(ports, { component: 'kubelet', nodeName: 'node1' });
    follow(log.events$, { task: 'test', logger, next: sink.write });
    log.event(pod, 'Normal', 'Started', 'm');
    await clock.advance(30_000);
    log.event(pod, 'Normal', 'Started', 'm');
    await clock.settle();
    expect(kube.requests.map(({ verb }) => verb)).toEqual(['create', 'create', 'create', 'patch']);
    const names = new Set(kube.requests.map(({ name }) => name));
    expect(names.size).toBe(1);
    expect(kube.peek(resources.events, { name: [...names][0]!, namespace: 'ns' })).toMatchObject({ count: 2 });
    expect(logger.lines).toEqual([]);
  });

  it('bounds its queue, and leaves nothing behind', async () => {
    const { clock, kube, log, sink, logger } = setUp();
    kube.onRequest = () => {
      throw new KubeError('Unreachable', 'connection refused');
    };
    for (let index = 0; index < 1_010; index += 1) log.event({ ...pod, name: `p${String(index)}` }, 'Normal', 'r', 'm');
    await clock.settle();
    expect(sink.backlog).toBe(1_000);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(10);
    await sink[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
