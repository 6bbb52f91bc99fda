import type { AgentCore, PodChange } from '@rxlet/agent-api';
import { noopLogger } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createCurrentValue, createEmitter } from '@rxlet/component-base/streams';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { openLiveFeed } from './live-feed.ts';
import type { StreamMessage } from './messages.ts';
import { createSharedFeed } from './shared-feed.ts';
import { streamEndpoint } from './stream-endpoint.ts';

type PodPhase = NonNullable<PodStatus['phase']>;

/** An agent with pods, whose stream is read as a page reads it. */
function fakeAgent() {
  const clock = createVirtualClock();
  const changes = createEmitter<PodChange>();
  const pods = new Map<string, Pod>();
  const events = createEventLog(clock);
  const core = {
    pods: { list: () => [...pods.values()], get: (uid: string) => pods.get(uid), changes$: changes.values$ },
    events,
    sourceProblems: createCurrentValue([]),
  } as unknown as AgentCore;
  let opened = 0;
  const feed = createSharedFeed(clock, () => {
    opened += 1;
    return openLiveFeed({ core, logger: noopLogger }, `e${String(opened)}`);
  });
  const endpoint = streamEndpoint({ clock, feed, nodeName: 'node1' });
  return {
    clock,
    events,
    opened: () => opened,
    put(name: string, phase: PodPhase = 'Running') {
      const type = pods.has(name) ? 'MODIFIED' : 'ADDED';
      const pod: Pod = { metadata: { name, uid: name, namespace: 'default' }, status: { phase } };
      pods.set(name, pod);
      changes.emit({ type, pod });
    },
    remove(name: string) {
      const pod = pods.get(name)!;
      pods.delete(name);
      changes.emit({ type: 'DELETED', pod });
    },
    connect(since?: string) {
      const left = new AbortController();
      const parameters = new URLSearchParams(since === undefined ? {} : { since });
      const request = { method: 'GET', segments: [], headers: {}, parameters, signal: left.signal };
      const { body } = endpoint.handle(request) as { body: AsyncIterable<Uint8Array> };
      const chunks = body[Symbol.asyncIterator]();
      return {
        /** Returns the next message and its id; no message for a sign of life. */
        async next(): Promise<{ id?: string; message?: StreamMessage }> {
          const reading = chunks.next();
          await clock.advance(100);
          const { value } = (await reading) as { value: Uint8Array };
          const [, id, data] = /^id: (.*)\ndata: (.*)\n\n$/.exec(Buffer.from(value).toString()) ?? [];
          return id === undefined ? {} : { id, message: JSON.parse(data!) as StreamMessage };
        },
        async leave() {
          left.abort(new Error('the page was closed'));
          await chunks.return?.();
        },
      };
    },
  };
}

const shown = ({ message }: { message?: StreamMessage }): readonly (readonly [string, string | undefined])[] =>
  (message?.changes ?? []).flatMap((change) =>
    change.kind === 'pod' ? [[change.key, change.value?.status] as const] : [],
  );

describe('the stream of the page', () => {
  it('begins with all pods and goes on with changes, of which a slow reader gets the latest', async () => {
    const agent = fakeAgent();
    agent.put('a');
    agent.put('b', 'Pending');
    const reader = agent.connect();
    const first = await reader.next();
    expect([first.message?.isSnapshot, first.message?.node, shown(first)]).toEqual([
      true,
      'node1',
      [
        ['a', 'Running'],
        ['b', 'Pending'],
      ],
    ]);
    for (let round = 0; round < 1000; round += 1) agent.put('b', round % 2 === 0 ? 'Running' : 'Pending');
    agent.put('b', 'Failed');
    agent.remove('a');
    const second = await reader.next();
    expect([second.message?.isSnapshot, shown(second)]).toEqual([
      false,
      [
        ['b', 'Failed'],
        ['a', undefined],
      ],
    ]);
    await reader.leave();
  });

  it('goes on after a cut, and begins anew for an unknown place', async () => {
    const agent = fakeAgent();
    agent.put('a');
    const first = agent.connect();
    const { id } = await first.next();
    await first.leave();
    agent.put('b');
    const second = agent.connect(id);
    const resumed = await second.next();
    expect([resumed.message?.isSnapshot, shown(resumed)]).toEqual([false, [['b', 'Running']]]);
    await second.leave();
    for (const since of ['e9.1', 'nonsense', `${id!}0`, '']) {
      const reader = agent.connect(since);
      expect((await reader.next()).message?.isSnapshot).toBe(true);
      await reader.leave();
    }
    expect(agent.opened()).toBe(1);
  });

  it('gives a sign of life while nothing changes', async () => {
    const agent = fakeAgent();
    const reader = agent.connect();
    await reader.next();
    const reading = reader.next();
    await agent.clock.advance(15_000);
    expect(await reading).toEqual({});
    await reader.leave();
  });

  it('costs nothing a minute after its last reader has left', async () => {
    const agent = fakeAgent();
    const reader = agent.connect();
    await reader.next();
    await reader.leave();
    expect(agent.clock.pendingTimers).toBe(1);
    await agent.clock.advance(60_000);
    expect(agent.clock.pendingTimers).toBe(0);
    const later = agent.connect();
    await later.next();
    await later.leave();
    expect(agent.opened()).toBe(2);
  });
});
