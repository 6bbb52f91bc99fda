import type { PodStatusUpdate, StatusSink } from '@rxlet/agent-api/statuses';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger, type VirtualClock } from '@rxlet/component-base/testing';
import type { PodPhase } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createFakeStatusSink, type FakeStatusSinkOptions } from './fake-status-sink.ts';
import { createStatusPublisher, type StatusPublisherOptions, type StatusPublisherPorts } from './status-publisher.ts';

const update = (name: string, version: number, phase: PodPhase = 'Running', finished = false): PodStatusUpdate => ({
  pod: testPod({ name, uid: name }),
  status: { phase },
  version,
  finished,
});
const versions = (updates: readonly PodStatusUpdate[]): string[] =>
  updates.map(({ pod, version }) => `${pod.metadata?.name}@${version}`);

const publishTo =
  (sink: StatusSink): StatusPublisherPorts['publish'] =>
  async (update, signal) => {
    await sink.publish(update, signal, () => update.status);
    return update;
  };

function setUp(sinkOptions: FakeStatusSinkOptions = {}, options: StatusPublisherOptions = {}) {
  const clock: VirtualClock = createVirtualClock();
  const sink = createFakeStatusSink(clock, sinkOptions);
  return { clock, sink, publisher: createStatusPublisher({ clock, publish: publishTo(sink) }, options) };
}

describe('status publisher', () => {
  it('publishes urgent changes at once', async () => {
    const { clock, sink, publisher } = setUp();
    publisher.submit(update('a', 1), true);
    await clock.settle();
    expect(versions(sink.published)).toEqual(['a@1']);
    expect(publisher.backlog).toBe(0);
  });

  it('has one call for each pod in flight, and skips outdated statuses', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100 });
    for (const version of [1, 2, 3]) publisher.submit(update('a', version), true);
    await clock.settle();
    expect(sink.inFlight).toEqual(['a']);
    await clock.advance(200);
    expect(versions(sink.published)).toEqual(['a@1', 'a@3']);
  });

  it('bounds the calls in flight', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100 }, { maxConcurrentPublishes: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) publisher.submit(update(name, 1), true);
    await clock.settle();
    expect(sink.inFlight).toEqual(['a', 'b']);
    expect(publisher.backlog).toBe(5);
    await clock.advance(300);
    expect(versions(sink.published)).toEqual(['a@1', 'b@1', 'c@1', 'd@1', 'e@1']);
  });

  it('prefers pods in a terminal phase', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100 }, { maxConcurrentPublishes: 1 });
    publisher.submit(update('a', 1), true);
    publisher.submit(update('b', 2), true);
    publisher.submit(update('c', 3, 'Succeeded'), true);
    publisher.submit(update('d', 4, 'Running', true), true);
    publisher.submit(update('b', 5, 'Failed'), true);
    await clock.advance(1000);
    expect(versions(sink.published)).toEqual(['a@1', 'c@3', 'd@4', 'b@5']);
  });

  it('publishes the statuses of rejected pods after all others', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100 }, { maxConcurrentPublishes: 1 });
    const rejected = (name: string, version: number, finished = false): PodStatusUpdate => {
      const failed = update(name, version, 'Failed', finished);
      return { ...failed, status: { ...failed.status, reason: 'OutOfpods' } };
    };
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) publisher.submit(rejected(name, index), true);
    publisher.submit(update('web', 10), true);
    publisher.submit(rejected('d', 11, true), true);
    await clock.advance(1000);
    expect(versions(sink.published)).toEqual(['a@0', 'd@11', 'web@10', 'b@1', 'c@2']);
  });

  it('retries a failed call with back-off, which a success resets', async () => {
    let failures = 3;
    const { clock, sink, publisher } = setUp(
      { failure: () => (failures-- > 0 ? new Error('no') : undefined) },
      { initialRetryDelayMs: 100, maxRetryDelayMs: 200 },
    );
    const callsAfter = async (ms: number): Promise<number> => {
      await clock.advance(ms);
      return sink.calls.length;
    };
    publisher.submit(update('a', 1), true);
    expect(await callsAfter(99)).toBe(1);
    expect(await callsAfter(1)).toBe(2);
    expect(await callsAfter(199)).toBe(2);
    expect(await callsAfter(1)).toBe(3);
    expect(await callsAfter(199)).toBe(3);
    expect(await callsAfter(1)).toBe(4);
    expect(versions(sink.published)).toEqual(['a@1']);

    failures = 1;
    publisher.submit(update('a', 2), true);
    expect(await callsAfter(99)).toBe(5);
    expect(await callsAfter(1)).toBe(6);
    expect(clock.pendingTimers).toBe(0);
  });

  it('retries with the latest status, and does not delay other pods', async () => {
    const { clock, sink, publisher } = setUp(
      { failure: ({ version }) => (version === 1 ? new Error('no') : undefined) },
      { maxConcurrentPublishes: 1, initialRetryDelayMs: 100 },
    );
    publisher.submit(update('a', 1), true);
    await clock.settle();
    publisher.submit(update('a', 2), true);
    publisher.submit(update('b', 3), true);
    await clock.settle();
    expect(versions(sink.published)).toEqual(['b@3']);
    await clock.advance(100);
    expect(versions(sink.calls)).toEqual(['a@1', 'b@3', 'a@2']);
  });

  it('drops the unpublished status of a forgotten pod', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100, failure: () => new Error('no') });
    publisher.submit(update('a', 1), true);
    publisher.submit(update('a', 2), true);
    publisher.forget('a');
    await clock.advance(60_000);
    expect(versions(sink.calls)).toEqual(['a@1']);
    expect(publisher.backlog).toBe(0);
  });

  it('publishes a pod that was added again after the call of its predecessor', async () => {
    const { clock, sink, publisher } = setUp({
      latencyMs: () => 100,
      failure: ({ version }) => (version === 1 ? new Error('no') : undefined),
    });
    publisher.submit(update('a', 1), true);
    publisher.forget('a');
    publisher.submit(update('a', 2), true);
    await clock.settle();
    expect(sink.inFlight).toEqual(['a']);
    await clock.advance(200);
    expect(versions(sink.calls)).toEqual(['a@1', 'a@2']);
    expect(versions(sink.published)).toEqual(['a@2']);
  });

  it('merges changes that are not urgent', async () => {
    const { clock, sink, publisher } = setUp({}, { coalesceMs: 1000 });
    publisher.submit(update('a', 1), false);
    await clock.advance(600);
    publisher.submit(update('a', 2), false);
    publisher.submit(update('b', 3), false);
    await clock.advance(399);
    expect(versions(sink.calls)).toEqual([]);
    await clock.advance(1);
    expect(versions(sink.calls)).toEqual(['a@2']);
    await clock.advance(600);
    expect(versions(sink.calls)).toEqual(['a@2', 'b@3']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('publishes waiting changes with an urgent one', async () => {
    const { clock, sink, publisher } = setUp({}, { coalesceMs: 1000 });
    publisher.submit(update('a', 1), false);
    publisher.submit(update('a', 2), true);
    await clock.settle();
    expect(versions(sink.published)).toEqual(['a@2']);
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(1);
  });

  it('stays urgent after later changes', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: () => 100 }, { maxConcurrentPublishes: 1 });
    publisher.submit(update('a', 1), true);
    publisher.submit(update('b', 2), true);
    publisher.submit(update('b', 3), false);
    await clock.advance(200);
    expect(versions(sink.published)).toEqual(['a@1', 'b@3']);
  });

  it('publishes urgent and overdue changes right after the call in flight', async () => {
    const { clock, sink, publisher } = setUp({ latencyMs: ({ pod }) => (pod.metadata?.name === 'a' ? 500 : 1500) });
    publisher.submit(update('a', 1), true);
    publisher.submit(update('a', 2), true);
    publisher.submit(update('a', 3), false);
    publisher.submit(update('b', 4), true);
    publisher.submit(update('b', 5), false);
    await clock.advance(1200);
    expect(versions(sink.published)).toEqual(['a@1', 'a@3']);
    publisher.submit(update('b', 6), false);
    await clock.advance(1800);
    expect(versions(sink.published)).toEqual(['a@1', 'a@3', 'b@4', 'b@6']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not delay other pods by hanging calls', async () => {
    const { clock, sink, publisher } = setUp(
      { latencyMs: ({ pod }) => (pod.metadata?.name?.startsWith('hung') === true ? 1e9 : 10) },
      { maxConcurrentPublishes: 2, slowCallMs: 500 },
    );
    for (const name of ['hung1', 'hung2', 'a', 'b']) publisher.submit(update(name, 1), true);
    await clock.advance(499);
    expect(versions(sink.published)).toEqual([]);
    await clock.advance(11);
    expect(versions(sink.published)).toEqual(['a@1', 'b@1']);
    publisher.submit(update('c', 2), true);
    await clock.advance(10);
    expect(versions(sink.published)).toEqual(['a@1', 'b@1', 'c@2']);
  });

  it('times out a hanging call and retries it', async () => {
    const latencies = [1e9, 0];
    const { clock, sink, publisher } = setUp(
      { latencyMs: () => latencies.shift()! },
      { publishTimeoutMs: 5000, initialRetryDelayMs: 100 },
    );
    publisher.submit(update('a', 1), true);
    await clock.advance(5099);
    expect(versions(sink.calls)).toEqual(['a@1']);
    expect(sink.inFlight).toEqual([]);
    await clock.advance(1);
    expect(versions(sink.published)).toEqual(['a@1']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports the waiting time of the first change', async () => {
    const waits: [string, number][] = [];
    const clock = createVirtualClock();
    let failures = 1;
    const sink = createFakeStatusSink(clock, {
      latencyMs: () => 10,
      failure: () => (failures-- > 0 ? new Error('no') : undefined),
    });
    const onPublished = ({ version }: PodStatusUpdate, waitedMs: number) => waits.push([`@${version}`, waitedMs]);
    const publisher = createStatusPublisher(
      { clock, publish: publishTo(sink), onPublished },
      { initialRetryDelayMs: 200 },
    );
    publisher.submit(update('a', 1), true);
    await clock.advance(100);
    publisher.submit(update('a', 2), true);
    await clock.advance(1000);
    publisher.submit(update('a', 3), true);
    await clock.advance(10);
    expect(waits).toEqual([
      ['@2', 220],
      ['@3', 10],
    ]);
  });

  describe('on disposal', () => {
    it('publishes statuses that wait for changes, a retry or a slot', async () => {
      let failures = 1;
      const { clock, sink, publisher } = setUp(
        { latencyMs: () => 100, failure: () => (failures-- > 0 ? new Error('no') : undefined) },
        { coalesceMs: 1000, maxConcurrentPublishes: 1, initialRetryDelayMs: 5000 },
      );
      publisher.submit(update('failed', 1), true);
      await clock.advance(100);
      publisher.submit(update('others', 2), false);
      publisher.submit(update('running', 3), true);
      publisher.submit(update('turn', 4), true);
      publisher.submit(update('running', 5), false);
      const disposal = publisher[Symbol.asyncDispose]();
      await clock.advance(500);
      await disposal;
      expect(versions(sink.published).sort()).toEqual(['failed@1', 'others@2', 'running@3', 'running@5', 'turn@4']);
      expect(clock.pendingTimers).toBe(0);
      publisher.submit(update('late', 6), true);
      await clock.advance(60_000);
      expect(sink.calls.at(-1)?.version).not.toBe(6);
    });

    it('does not retry failures', async () => {
      const { clock, sink, publisher } = setUp({ failure: () => new Error('no') });
      publisher.submit(update('a', 1), false);
      await publisher[Symbol.asyncDispose]();
      expect(versions(sink.calls)).toEqual(['a@1']);
      expect(clock.pendingTimers).toBe(0);
    });

    it('waits no longer than its timeout, and leaves nothing behind', async () => {
      const logger = recordingLogger();
      const clock = createVirtualClock();
      const sink = createFakeStatusSink(clock, { latencyMs: () => 1e9 });
      const publisher = createStatusPublisher({ clock, publish: publishTo(sink), logger }, { flushTimeoutMs: 3000 });
      publisher.submit(update('a', 1), false);
      let ended = false;
      const disposals = [publisher[Symbol.asyncDispose](), publisher[Symbol.asyncDispose]()];
      void Promise.all(disposals).then(() => (ended = true));
      await clock.advance(2999);
      expect(ended).toBe(false);
      await clock.advance(1);
      expect(ended).toBe(true);
      expect(sink.inFlight).toEqual([]);
      expect(clock.pendingTimers).toBe(0);
      expect(logger.lines).toMatchObject([{ level: 'warn', fields: { pods: ['a_default(a)'] } }]);
    });
  });

  it('publishes the final status of each pod to a slow and unreliable sink, in order', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = seededRandom(seed);
      const busiest = { ofOnePod: 0, inAll: 0 };
      const { clock, sink, publisher } = setUp(
        {
          latencyMs: ({ pod }) => {
            const ofThisPod = sink.inFlight.filter((podUid) => podUid === pod.metadata?.uid);
            busiest.ofOnePod = Math.max(busiest.ofOnePod, ofThisPod.length);
            busiest.inAll = Math.max(busiest.inAll, sink.inFlight.length);
            return Math.floor(random.next() * 400);
          },
          failure: () => (random.next() < 0.3 ? new Error('no') : undefined),
        },
        { maxConcurrentPublishes: 3 },
      );
      const final = new Map<string, number>();
      for (let version = 1; version <= 150; version += 1) {
        const name = `pod${Math.floor(random.next() * 8)}`;
        const phase = random.next() < 0.1 ? 'Succeeded' : 'Running';
        final.set(name, version);
        publisher.submit(update(name, version, phase), random.next() < 0.5);
        if (random.next() < 0.05) {
          publisher.forget(name);
          final.delete(name);
        }
        await clock.advance(Math.floor(random.next() * 60));
      }
      await clock.runUntil(() => publisher.backlog === 0);

      const last = new Map<string, number>();
      for (const { pod, version } of sink.published) {
        const name = pod.metadata?.name ?? '';
        expect(version, `seed ${seed}`).toBeGreaterThan(last.get(name) ?? 0);
        last.set(name, version);
      }
      for (const [name, version] of final) expect(last.get(name), `seed ${seed}, ${name}`).toBe(version);
      expect(busiest).toEqual({ ofOnePod: 1, inAll: 3 });
      await publisher[Symbol.asyncDispose]();
      expect(clock.pendingTimers).toBe(0);
    }
  });
});
