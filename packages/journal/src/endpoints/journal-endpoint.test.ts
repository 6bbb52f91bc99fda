import type { EndpointRequest } from '@rxlet/agent-api/http';
import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createExplainer } from '../explain/explain-pods.ts';
import { createJournalStore } from '../store/journal-store.ts';
import { journalEndpoint } from './journal-endpoint.ts';

function setup() {
  const clock = createVirtualClock();
  const store = createJournalStore({ clock });
  const explainer = createExplainer({ clock, store, podStatus: () => undefined, settings: {} });
  const endpoint = journalEndpoint({ store, explainer, logger: noopLogger });
  const controller = new AbortController();
  const get = (segments: readonly string[], query = '') => {
    const request: EndpointRequest = {
      method: 'GET',
      segments,
      parameters: new URLSearchParams(query),
      headers: {},
      signal: controller.signal,
    };
    return endpoint.handle(request);
  };
  const begin = (id: string, parentId?: string): void =>
    store.apply({
      type: 'begin',
      id,
      uid: 'u1',
      atMs: clock.now(),
      kind: parentId === undefined ? 'pod' : 'sandbox.create',
      ...(parentId === undefined ? { namespace: 'default', name: 'web' } : { parentId }),
    });
  return { get, begin, store, clock, controller };
}

describe('the endpoint /journal', () => {
  it('lists lives with their sentences, and rejects unknown pods', async () => {
    const { get, begin } = setup();
    begin('a');
    begin('b', 'a');
    const { body } = await get([]);
    expect(JSON.parse(body as string)).toMatchObject({
      kind: 'LifeList',
      items: [{ id: 'a', name: 'web', sentence: 'waits for the container runtime to create its sandbox and network' }],
    });
    expect(() => get(['default', 'none'])).toThrow('the journal has no pod "default/none"');
  });

  it('streams a life, its entries and explanations, and a new life', async () => {
    const { get, begin, store, clock, controller } = setup();
    const answer = await get(['default', 'web'], 'watch=true');
    expect(answer.contentType).toBe('text/event-stream');
    const events = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => Buffer.from((await events.next()).value as Uint8Array).toString();
    expect(await next()).toBe('event: life\ndata: null\n\n');
    const pending = next();
    await clock.settle();
    begin('a');
    expect(await pending).toMatch(/^event: life\ndata: \{"id":"a"/);
    expect(await next()).toMatch(/^event: explanation\ndata: \{"pod"/);
    const waiting = next();
    await clock.settle();
    begin('b', 'a');
    expect(await waiting).toMatch(/^event: entry\ndata: \{"type":"begin","id":"b"/);
    expect(await next()).toContain('create its sandbox');
    // A reader that takes nothing meanwhile gets the whole life again.
    const late = next();
    await clock.settle();
    for (let index = 0; index < 1_500; index += 1) begin(`c${String(index)}`, 'a');
    expect(await late).toMatch(/^event: life\n/);
    expect(await next()).toMatch(/^event: explanation\n/);
    controller.abort();
    store.close();
  });
});
